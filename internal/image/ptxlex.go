package image

import (
	"bytes"
	"strconv"
	"strings"
)

// lexer cuts a PTX text into words, which begin with a dot or not, numbers, strings and single
// signs. A NUL ends the text.
type lexer struct {
	text []byte
	at   int
	// open is what the text ends in the middle of: "a comment" or "a string".
	open string
}

const byteOrderMark = "\xef\xbb\xbf"

// isPTX reports whether the first word of b is .version, which begins every PTX text.
func isPTX(b []byte) bool {
	if len(b) == 0 || !strings.ContainsRune(" \t\n\v\f\r./\xef", rune(b[0])) && b[0] != 0xef {
		return false
	}
	l := lexer{text: bytes.TrimPrefix(b, []byte(byteOrderMark))}
	return l.next() == ".version"
}

// next returns the next token; "" at the end.
func (l *lexer) next() string {
	l.space()
	if l.at >= len(l.text) || l.text[l.at] == 0 {
		return ""
	}
	from := l.at
	c := l.text[l.at]
	l.at++
	switch {
	case c == '"':
		for l.at < len(l.text) && l.text[l.at] != '"' && l.text[l.at] != 0 {
			if l.text[l.at] == '\\' {
				l.at++
			}
			l.at++
		}
		if l.at >= len(l.text) || l.text[l.at] == 0 {
			l.at, l.open = len(l.text), "a string"
			return ""
		}
		l.at++
	case c == '.' || inWord(c):
		for l.at < len(l.text) && inWord(l.text[l.at]) {
			l.at++
		}
	}
	return string(l.text[from:l.at])
}

// space skips what separates tokens.
func (l *lexer) space() {
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		switch c := rest[0]; {
		case c == ' ' || c >= '\t' && c <= '\r':
			l.at++
		case hasPrefix(rest, "//"):
			if i := bytes.IndexAny(rest, "\n\x00"); i >= 0 {
				l.at += i
			} else {
				l.at = len(l.text)
			}
		case hasPrefix(rest, "/*"):
			i := bytes.Index(rest[2:], []byte("*/"))
			if i < 0 {
				l.at, l.open = len(l.text), "a comment"
				return
			}
			l.at += i + 4
		default:
			return
		}
	}
}

func inWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' ||
		c == '$' || c == '%'
}

// skipGroup skips to the brace that closes the one just read, and reports whether there is one.
func (l *lexer) skipGroup() bool {
	for depth := 1; depth > 0; {
		switch l.next() {
		case "":
			return false
		case "{":
			depth++
		case "}":
			depth--
		}
	}
	return true
}

// number reads a number; if there is none it reads nothing.
func (l *lexer) number() (uint32, bool) {
	from := l.at
	n, err := strconv.ParseUint(strings.TrimRight(l.next(), "uU"), 0, 32)
	if err != nil {
		l.at = from
		return 0, false
	}
	return uint32(n), true
}

// accept reads a token if it is the next one.
func (l *lexer) accept(token string) bool {
	from := l.at
	if l.next() == token {
		return true
	}
	l.at = from
	return false
}

// triple reads one to three numbers between commas; those left out are 1.
func (l *lexer) triple() (v [3]uint32) {
	v = [3]uint32{1, 1, 1}
	for i := range v {
		n, ok := l.number()
		if !ok {
			return v
		}
		v[i] = n
		if !l.accept(",") {
			return v
		}
	}
	return v
}
