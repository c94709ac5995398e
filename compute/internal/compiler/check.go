package compiler

import (
	"fmt"
	"io/fs"
	"strings"
)

// most is how many headers, options or names a request may have: more is a mistake, and the
// libraries count in 32 bits.
const most = 1 << 16

// check refuses what both libraries fail on, or worse.
func (r *Request) check() error {
	if strings.TrimSpace(r.Text) == "" {
		return r.refuse(ErrInput, "the source has no text")
	}
	if len(r.Headers) > most || len(r.Options) > most || len(r.Names) > most {
		return r.refuse(ErrInput, "%d headers, %d options and %d names; %d of each is the limit",
			len(r.Headers), len(r.Options), len(r.Names), most)
	}
	if i := strings.IndexByte(r.Text, 0); i >= 0 {
		return r.refuse(ErrInput, "line %d of the text has a NUL byte", 1+strings.Count(r.Text[:i], "\n"))
	}
	if hasControl(r.Name) {
		return r.refuse(ErrInput, "the name %q has a control character", r.Name)
	}
	for name, text := range r.Headers {
		switch {
		case name == "":
			return r.refuse(ErrInput, "a header has no name")
		case hasControl(name):
			return r.refuse(ErrInput, "the name of header %q has a control character", name)
		case strings.IndexByte(text, 0) >= 0:
			return r.refuse(ErrInput, "the text of header %q has a NUL byte", name)
		}
	}
	for _, o := range r.Options {
		if o == "" || hasControl(o) {
			return r.refuse(ErrOption, "option %q is empty or has a control character", o)
		}
	}
	for _, n := range r.Names {
		// Both libraries paste the expression into source text.
		if strings.TrimSpace(n) == "" || hasControl(n) || strings.Contains(n, `"`) {
			return r.refuse(ErrName, "%q is no expression for a kernel or a variable", n)
		}
	}
	return nil
}

// checkHIP refuses what only hipRTC fails on: it writes headers to files, and needs a text in each.
func (r *Request) checkHIP() error {
	for name, text := range r.Headers {
		if text == "" {
			return r.refuse(ErrInput, "hipRTC takes no header without text: give %q a comment", name)
		}
		if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, `\:`) {
			return r.refuse(ErrInput, "hipRTC writes headers to files, so the name %q must be a relative "+
				"path with slashes, without . and .. in it", name)
		}
	}
	return nil
}

// hasControl reports whether a text has a control character, such as NUL or a newline. A tab is
// none here.
func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f })
}

// refuse is the error of a request that no library sees.
func (r *Request) refuse(reason error, format string, args ...any) error {
	return fmt.Errorf("compile %s: %w: %s", r.FileName(), reason, fmt.Sprintf(format, args...))
}
