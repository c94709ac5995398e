package main

import (
	"fmt"
	"regexp"
	"strings"
)

// lineWidth is the longest line of prose on a page.
const lineWidth = 100

// page is docs/results/plots.md.
func page(drawn []section) string {
	var b strings.Builder
	b.WriteString("# Plots\n\n")
	b.WriteString(wrap("Written by `make plots`, from the data beside this page: don't edit it. " +
		"Nothing is subtracted from what was measured. The machines are shared with others, so " +
		"compare lines within a picture rather than pictures."))
	for _, s := range drawn {
		fmt.Fprintf(&b, "\n## %s\n\n%s", s.title, wrap(s.before))
		for _, p := range s.pictures {
			fmt.Fprintf(&b, "\n![%s](%s)\n", p.alt, p.name)
			if p.text != "" {
				fmt.Fprintf(&b, "\n%s", wrap(p.text))
			}
		}
		if s.after != "" {
			fmt.Fprintf(&b, "\n%s", s.after)
		}
	}
	return b.String()
}

var blankLine = regexp.MustCompile(`\n\s*\n`)

// wrap breaks paragraphs into short lines.
func wrap(text string) string {
	var b strings.Builder
	for i, paragraph := range blankLine.Split(text, -1) {
		if i > 0 {
			b.WriteString("\n")
		}
		column := 0
		for _, word := range strings.Fields(paragraph) {
			n := len([]rune(word))
			switch {
			case column == 0:
			case column+1+n > lineWidth:
				b.WriteString("\n")
				column = 0
			default:
				b.WriteString(" ")
				column++
			}
			b.WriteString(word)
			column += n
		}
		b.WriteString("\n")
	}
	return b.String()
}
