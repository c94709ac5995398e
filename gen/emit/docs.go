package emit

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/gpuevent/gpuevent/gen/model"
)

// doc collects the paragraphs of a doc comment.
type doc struct{ lines []string }

// para adds a paragraph, wrapped.
func (d *doc) para(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if text == "" {
		return
	}
	d.gap()
	d.lines = append(d.lines, wrap(text, 120)...)
}

// add continues the last paragraph with a sentence.
func (d *doc) gap() {
	if len(d.lines) > 0 {
		d.lines = append(d.lines, "")
	}
}

// code adds lines of C.
func (d *doc) code(lines ...string) {
	d.gap()
	for _, l := range lines {
		d.lines = append(d.lines, "\t"+l)
	}
}

// list adds items.
func (d *doc) list(items []string) {
	if len(items) == 0 {
		return
	}
	d.gap()
	for _, it := range items {
		for i, l := range wrap(it, 112) {
			if i == 0 {
				d.lines = append(d.lines, "  - "+l)
			} else {
				d.lines = append(d.lines, "    "+l)
			}
		}
	}
}

// comments is the doc as comment statements, one a line.
func (d *doc) comments() []jen.Code {
	var out []jen.Code
	for _, l := range d.lines {
		switch {
		case l == "":
			out = append(out, jen.Comment("//"))
		case l[0] == '\t':
			out = append(out, jen.Comment("//"+l))
		default:
			out = append(out, jen.Comment("// "+l))
		}
	}
	return out
}

// to writes the doc into a file, right above the next declaration.
func (d *doc) to(f *jen.File) {
	for _, c := range d.comments() {
		f.Add(c)
	}
}

// wrap breaks text at spaces.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for w := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = w
		case len(line)+1+len(w) > width:
			lines = append(lines, line)
			line = w
		default:
			line += " " + w
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// since describes which versions have an entity.
func (p spec) since(s model.Span) string {
	var b strings.Builder
	came := ""
	switch {
	case s.Exact:
		came = fmt.Sprintf("in %s %s", p.vendor(), p.named(s.Since))
	case s.Since != "":
		came = p.came(s.Since)
	}
	switch version, in := strings.CutPrefix(came, "in "); {
	case s.Since == "":
	case in:
		b.WriteString("Since " + version)
	default:
		b.WriteString("Introduced " + came)
	}
	for _, r := range s.Absent {
		fmt.Fprintf(&b, ", absent from %s to %s", r.From, r.To)
	}
	if b.Len() > 0 {
		b.WriteByte('.')
	}
	return b.String()
}

// sinceNote is the same for a comment after a name.
func (p spec) sinceNote(since string) string {
	words := p.introduced(since)
	if strings.HasPrefix(words, "after ") {
		return ", " + words
	}
	return ", since " + words
}

// deprecated is the Deprecated paragraph for what the vendor deprecates or has removed, otherwise
// "".
func (p spec) deprecated(s model.Span, internal string) string {
	switch {
	case internal != "":
		return "" // superseded, and needed for old drivers: see superseded
	case s.Removed != "":
		return fmt.Sprintf("Deprecated: removed from the headers %s.", p.came(s.Removed))
	case s.Deprecated != "":
		came := p.came(s.Deprecated)
		if version, in := strings.CutPrefix(came, "in "); in {
			return fmt.Sprintf("Deprecated: by the vendor since %s.", version)
		}
		return fmt.Sprintf("Deprecated: by the vendor, %s.", came)
	}
	return ""
}

// superseded names the function that newer headers mean by the plain C name.
func (p *renderer) superseded(f *model.Function) string {
	if f.Internal == "" {
		return ""
	}
	base, _ := cutVersion(f.Name)
	for _, a := range p.Model.Aliases {
		if a.Kind != "function" || a.Name != base || len(a.Spans) == 0 {
			continue
		}
		last := a.Spans[len(a.Spans)-1]
		if g := p.namer.goOf[[2]string{"func", last.Target}]; g != "" && last.Target != f.Name {
			return fmt.Sprintf("From %s %s on, the name %s in headers means [%s]. "+
				"Libraries still export this function, and older ones have only this one.",
				p.vendor(), f.Internal, base, g)
		}
	}
	return fmt.Sprintf("Headers from %s %s on no longer declare it; libraries still export it.",
		p.vendor(), f.Internal)
}

// prototype is the C declaration, in lines of readable length.
func prototype(name string, ret model.Type, params []model.Param) []string {
	var ps []string
	for _, q := range params {
		ps = append(ps, q.Type.Declare(q.Name))
	}
	if len(ps) == 0 {
		ps = []string{"void"}
	}
	head := ret.Declare(name)
	line := head + "(" + strings.Join(ps, ", ") + ")"
	if len(line) <= 110 {
		return []string{line}
	}
	lines := []string{head + "("}
	cur := "\t"
	for i, q := range ps {
		if i < len(ps)-1 {
			q += ","
		} else {
			q += ")"
		}
		if cur != "\t" && len(cur)+1+len(q) > 104 {
			lines = append(lines, cur)
			cur = "\t"
		}
		if cur != "\t" {
			cur += " "
		}
		cur += q
	}
	return append(lines, cur)
}

// article puts an article before a noun phrase that follows "is".
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}
