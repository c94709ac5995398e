package header

import (
	"regexp"
	"slices"
	"strings"

	"modernc.org/cc/v4"
)

// docs is what a file's comments say, as far as it is fact: which group a line belongs to and which
// way parameters go.
type docs struct {
	comments []comment
	code     []byte // the text with comments blanked out
	groups   []groupAt
}

type comment struct {
	start, end int // offsets
	text       string
}

// groupAt says that a group holds from a line on.
type groupAt struct {
	line int
	name string
}

var (
	groupCommand = regexp.MustCompile(`[@\\](?:(defgroup|addtogroup|ingroup)\s+(\w+)|([{}]))`)
	paramCommand = regexp.MustCompile(
		`[@\\]param\s*\[\s*(in|out|in\s*,\s*out|out\s*,\s*in|inout)\s*\]\s*((?:\w+\s*,\s*)*\w+)`)
)

// docsOf are the docs of the file that a token lies in.
func (u *unit) docsOf(t cc.Token) *docs {
	name := t.Position().Filename
	if d := u.docs[name]; d != nil {
		return d
	}
	data, err := u.files.read(name)
	if err != nil {
		data = nil
	}
	d := scanDocs(string(data))
	u.docs[name] = d
	return d
}

func scanDocs(src string) *docs {
	d := &docs{code: []byte(src)}
	for i := 0; i < len(src); {
		switch {
		case strings.HasPrefix(src[i:], "/*"):
			end := strings.Index(src[i+2:], "*/")
			if end < 0 {
				end = len(src) - i - 4
			}
			i = d.add(src, i, min(i+2+end+2, len(src)))
		case strings.HasPrefix(src[i:], "//"):
			end := strings.IndexByte(src[i:], '\n')
			if end < 0 {
				end = len(src) - i
			}
			i = d.add(src, i, i+end)
		case src[i] == '"' || src[i] == '\'':
			i = skipQuoted(src, i)
		default:
			i++
		}
	}
	d.scanGroups()
	return d
}

func skipQuoted(src string, i int) int {
	q := src[i]
	for i++; i < len(src) && src[i] != q && src[i] != '\n'; i++ {
		if src[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(src))
}

func (d *docs) add(src string, start, end int) int {
	if end <= start {
		return len(src)
	}
	d.comments = append(d.comments, comment{start, end, src[start:end]})
	for i := start; i < end; i++ {
		if d.code[i] != '\n' {
			d.code[i] = ' '
		}
	}
	return end
}

// scanGroups follows @defgroup, @{ and @} through the file.
func (d *docs) scanGroups() {
	var stack []string
	pending := ""
	line, pos := 1, 0
	for _, c := range d.comments {
		line += strings.Count(string(d.code[pos:c.start]), "\n")
		pos = c.start
		own := "" // a comment's @ingroup names the group only if nothing better does
		for _, m := range groupCommand.FindAllStringSubmatchIndex(c.text, -1) {
			at := line + strings.Count(c.text[:m[0]], "\n")
			sub := func(i int) string {
				if m[2*i] < 0 {
					return ""
				}
				return c.text[m[2*i]:m[2*i+1]]
			}
			switch {
			case sub(1) == "ingroup":
				own = sub(2)
			case sub(1) != "":
				pending = sub(2)
			case sub(3) == "{":
				name := pending
				if name == "" {
					if name = own; name == "" && len(stack) > 0 {
						name = stack[len(stack)-1]
					}
				}
				stack, pending = append(stack, name), ""
			case len(stack) > 0:
				stack = stack[:len(stack)-1]
			}
			top := ""
			if len(stack) > 0 {
				top = stack[len(stack)-1]
			}
			d.groups = append(d.groups, groupAt{at, top})
		}
	}
}

// group is the innermost group that a line lies in.
func (d *docs) group(line int) string {
	i, _ := slices.BinarySearchFunc(d.groups, line+1,
		func(g groupAt, line int) int { return g.line - line })
	if i == 0 {
		return ""
	}
	return d.groups[i-1].name
}

// directions are the parameter directions that the comment before the declaration which ends at
// offset documents.
func (d *docs) directions(offset int) map[string]string {
	if offset > len(d.code) {
		return nil
	}
	end := offset
	for i := len(d.comments) - 1; i >= 0; i-- {
		c := d.comments[i]
		if c.end > offset {
			continue
		}
		if between := string(d.code[c.end:end]); strings.ContainsAny(between, ";{}") {
			return nil
		}
		end = c.start
		if !strings.HasPrefix(c.text, "/**") && !strings.HasPrefix(c.text, "/*!") {
			continue
		}
		dirs := map[string]string{}
		for _, m := range paramCommand.FindAllStringSubmatch(c.text, -1) {
			dir := strings.Join(strings.Fields(strings.ReplaceAll(m[1], ",", " ")), "")
			if dir == "outin" {
				dir = "inout"
			}
			for name := range strings.SplitSeq(m[2], ",") {
				name = strings.TrimSpace(name)
				if old := dirs[name]; old != "" && old != dir {
					dir = "inout"
				}
				dirs[name] = dir
			}
		}
		return dirs
	}
	return nil
}
