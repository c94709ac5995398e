package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// wide is how long a line of prose may be.
const wide = 100

// page collects Markdown.
type page struct{ strings.Builder }

// text adds a paragraph, in lines that are not too long.
func (p *page) text(format string, args ...any) {
	p.wrap("", fmt.Sprintf(format, args...))
	p.WriteByte('\n')
}

// item adds a point of a list.
func (p *page) item(format string, args ...any) { p.wrap("- ", fmt.Sprintf(format, args...)) }

func (p *page) wrap(mark, text string) {
	indent := strings.Repeat(" ", len(mark))
	line := mark
	for i, word := range strings.Fields(text) {
		if i > 0 {
			if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > wide {
				p.WriteString(line + "\n")
				line = indent
			} else {
				line += " "
			}
		}
		line += word
	}
	p.WriteString(line + "\n")
}

// heading adds one, of the second level.
func (p *page) heading(text string) { fmt.Fprintf(p, "## %s\n\n", text) }

// table adds one. Columns whose name ends in a colon are aligned right.
func (p *page) table(columns []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	var names, marks []string
	for _, c := range columns {
		name, number := strings.CutSuffix(c, ":")
		names = append(names, name)
		marks = append(marks, map[bool]string{true: "--:", false: "---"}[number])
	}
	fmt.Fprintf(p, "| %s |\n|%s|\n", strings.Join(names, " | "), strings.Join(marks, "|"))
	for _, row := range rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, cell(c))
		}
		fmt.Fprintf(p, "| %s |\n", strings.Join(cells, " | "))
	}
	p.WriteByte('\n')
}

// cell keeps a text from ending the cell of a table, and from being read as HTML.
func cell(text string) string {
	return strings.NewReplacer("|", "/", "\n", " ", "\r", " ", "<", "&lt;").
		Replace(strings.TrimSpace(text))
}

// code adds a text as it is, in a fence that the text can't end.
func (p *page) code(text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(p, "%s\n%s\n%s\n\n", fence, strings.TrimRight(text, "\n"), fence)
}
