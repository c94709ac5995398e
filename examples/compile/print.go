package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// head is how many lines of the PTX text are printed.
const head = 12

func print(w io.Writer, s source, arch string, r result) {
	if r.compiler == "" {
		return
	}
	fmt.Fprintf(w, "%s, %s for %s\n", r.compiler, s.name, arch)
	for _, line := range messages(s, r.log) {
		fmt.Fprintln(w, line)
	}
	if len(r.code) > 0 {
		fmt.Fprintf(w, "%s: %d bytes\n", r.kind, len(r.code))
	}
	if r.text != "" {
		lines := assembly(r.text)
		fmt.Fprintf(w, "PTX: %d bytes, beginning with\n", len(r.text))
		for _, line := range lines[:min(head, len(lines))] {
			fmt.Fprintln(w, "  "+line)
		}
	}
}

// messages are the lines of a log, those about a line of the source in one form: NVIDIA writes
// saxpy.cu(3), and AMD a folder of its own and saxpy.cu:3:9.
func messages(s source, log string) (lines []string) {
	if log == "" {
		return nil
	}
	at := regexp.MustCompile(`^(?:.*/)?` + regexp.QuoteMeta(s.name) + `(?:\((\d+)\)|:(\d+):\d+): `)
	for line := range strings.SplitSeq(log, "\n") {
		lines = append(lines, at.ReplaceAllString(line, s.name+":$1$2: "))
	}
	return lines
}

// assembly is a PTX text without the comments at its beginning and the NUL at its end.
func assembly(text string) []string {
	if i := strings.Index(text, ".version"); i > 0 {
		text = text[i:]
	}
	return strings.Split(strings.TrimRight(text, "\x00\n"), "\n")
}
