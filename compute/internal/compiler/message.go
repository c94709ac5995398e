package compiler

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Message is one message of a compiler.
type Message struct {
	File     string // "" for one about an option or the whole source
	Line     int    // from 1; 0 if the message has none
	Column   int    // from 1; NVRTC tells none
	Severity string // "error", "warning", "note" or "remark"
	Text     string // its first line
}

// String returns the message as file:line:column: severity: text, without what it lacks.
func (m Message) String() string {
	s := m.Severity + ": " + m.Text
	switch {
	case m.Column > 0:
		return fmt.Sprintf("%s:%d:%d: %s", m.File, m.Line, m.Column, s)
	case m.Line > 0:
		return fmt.Sprintf("%s:%d: %s", m.File, m.Line, s)
	}
	return s
}

const severities = `((?:fatal |catastrophic |internal )?error|warning|note|remark)`

// The forms of messages: NVRTC's, clang's, ptxas's, and those without a line of a file.
var (
	ofNVRTC   = regexp.MustCompile(`^(.+)\((\d+)\): ` + severities + `(?: #[\w-]+)?: (.*)$`)
	ofClang   = regexp.MustCompile(`^(.+?):(\d+):(\d+): ` + severities + `: (.*)$`)
	ofPtxas   = regexp.MustCompile(`^(ptxas.*?)[ ;]+(error|fatal|warning) *: (.*)$`)
	ofNothing = regexp.MustCompile(`^(?:(nvrtc|At end of source|Command-line|[\w.]+)[: ] ?)?` +
		severities + `: (.*)$`)
)

// messages reads those of a log. Lines of another form, such as the quoted source, are left out.
func messages(log string) (list []Message) {
	for line := range strings.SplitSeq(log, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if m := ofNVRTC.FindStringSubmatch(line); m != nil {
			list = append(list, Message{m[1], number(m[2]), 0, severity(m[3]), m[4]})
		} else if m := ofClang.FindStringSubmatch(line); m != nil {
			list = append(list, Message{m[1], number(m[2]), number(m[3]), severity(m[4]), m[5]})
		} else if m := ofPtxas.FindStringSubmatch(line); m != nil {
			list = append(list, Message{Severity: severity(m[2]), Text: m[1] + ": " + m[3]})
		} else if m := ofNothing.FindStringSubmatch(line); m != nil {
			list = append(list, Message{Severity: severity(m[2]), Text: from(m[1]) + m[3]})
		}
	}
	return list
}

// from is the part of the compiler that a message is by, where that says something.
func from(part string) string {
	if part == "" || part == "nvrtc" {
		return ""
	}
	return part + ": "
}

func severity(s string) string {
	if s == "fatal" || strings.HasSuffix(s, "error") {
		return "error"
	}
	return s
}

// number is a line or column; 0 for one that no source has.
func number(digits string) int {
	n, err := strconv.ParseUint(digits, 10, 31)
	if err != nil {
		return 0
	}
	return int(n)
}
