package rules

import (
	"fmt"
	"strings"
)

// Problem is one error in a rule file.
type Problem struct {
	File string
	Line int // 0 for the file as a whole
	Msg  string
}

// Error is the problem with its place, as compilers write it.
func (p Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Msg)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Msg)
}

// Problems is an error of several, one a line.
type Problems []Problem

// Error lists all problems.
func (ps Problems) Error() string {
	var b strings.Builder
	for i, p := range ps {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.Error())
	}
	return b.String()
}

// source is a TOML file's text, to find the line of a key or of a string in a list. The decoder has
// proved the syntax; only the plain forms of it that rule files use are searched.
type source struct {
	file  string
	lines map[string]int // "table\x00key", "table" and "table\x00\x00string"
}

func newSource(file, text string) *source {
	s := &source{file, map[string]int{}}
	table := ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[' && strings.IndexByte(line, ']') > 0 && !strings.ContainsAny(line, ",="):
			table = unquoted(line[1:strings.IndexByte(line, ']')])
			s.add(table, i)
		default:
			if key, rest, ok := cutKey(line); ok {
				s.add(table+"\x00"+key, i)
				line = rest
			}
			for {
				_, rest, ok := strings.Cut(line, `"`)
				if !ok {
					break
				}
				text, rest, ok := strings.Cut(rest, `"`)
				if !ok {
					break
				}
				s.add(table+"\x00\x00"+text, i)
				line = rest
			}
		}
	}
	return s
}

func (s *source) add(key string, i int) {
	if _, ok := s.lines[key]; !ok {
		s.lines[key] = i + 1
	}
}

// cutKey splits `key = value` and `"key" = value`.
func cutKey(line string) (key, rest string, ok bool) {
	if line[0] == '"' {
		key, rest, ok = strings.Cut(line[1:], `"`)
		if !ok || !strings.HasPrefix(strings.TrimSpace(rest), "=") {
			return "", line, false
		}
		return key, rest, true
	}
	key, rest, ok = strings.Cut(line, "=")
	key = strings.TrimSpace(key)
	if !ok || strings.ContainsAny(key, `"[]{}, `) {
		return "", line, false
	}
	return key, rest, true
}

func unquoted(table string) string {
	return strings.ReplaceAll(strings.TrimSpace(table), `"`, "")
}

// key makes a problem at a table's key.
func (s *source) key(table, key, format string, args ...any) Problem {
	line := s.lines[table+"\x00"+key]
	if line == 0 {
		line = s.lines[strings.Trim(table+"."+key, ".")] // a table of its own: [groups.X]
	}
	if line == 0 {
		line = s.lines[table] // of a key that is missing
	}
	return Problem{s.file, line, fmt.Sprintf(format, args...)}
}

// item makes a problem at a string of a list in a table.
func (s *source) item(table, item, format string, args ...any) Problem {
	return Problem{s.file, s.lines[table+"\x00\x00"+item], fmt.Sprintf(format, args...)}
}
