package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Save writes the model to path, whole or not at all: the old file stays until the new one is
// complete.
func (m *Model) Save(path string) error {
	data, err := m.Encode()
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	// a device or a pipe must not be replaced by a file
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return fmt.Errorf("save %s: %w", path, err)
		}
		return nil
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}

// Encode writes the model as JSON with one entity, and one enumerator, a line, so that a new
// release is a small diff. What every line would repeat is left out, and Decode restores it: the
// since of an enumerator that is as old as its enum, the targets of a layout that all targets
// share, and the end of an alias's last stretch.
func (m *Model) Encode() ([]byte, error) {
	w := &lineWriter{}
	w.buf.WriteString("{\n\"api\": ")
	w.value(m.API)
	writeLines(w, "versions", m.Versions)
	writeLines(w, "targets", m.Targets)
	all := m.targetNames()
	writeLines(w, "functions", m.Functions)
	writeEnums(w, m.Enums)
	writeLines(w, "structs", mapped(m.Structs,
		func(s Struct) Struct { return withoutTargets(s, all) }))
	writeLines(w, "typedefs", m.Typedefs)
	writeLines(w, "consts", m.Consts)
	writeLines(w, "aliases", mapped(m.Aliases, m.withoutEnd))
	w.buf.WriteString("\n}\n")
	return w.buf.Bytes(), w.err
}

// targetNames are the targets as layouts name them: "linux/amd64".
func (m *Model) targetNames() []string {
	var names []string
	for _, t := range m.Targets {
		names = append(names, t.String())
	}
	return names
}

// String is the target as layouts name it: "linux/amd64".
func (t Target) String() string { return t.OS + "/" + t.Arch }

type lineWriter struct {
	buf bytes.Buffer
	err error
}

func (w *lineWriter) value(v any) {
	enc := json.NewEncoder(&w.buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && w.err == nil {
		w.err = err
		return
	}
	w.buf.Truncate(w.buf.Len() - 1) // Encode's newline
}

func writeLines[T any](w *lineWriter, key string, items []T) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(&w.buf, ",\n\"%s\": [", key)
	for i, it := range items {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		w.buf.WriteByte('\n')
		w.value(it)
	}
	w.buf.WriteString("\n]")
}

func writeEnums(w *lineWriter, enums []Enum) {
	if len(enums) == 0 {
		return
	}
	w.buf.WriteString(",\n\"enums\": [")
	for i, e := range enums {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		w.buf.WriteByte('\n')
		values := e.Values
		e.Values = nil
		w.value(e)
		if len(values) == 0 {
			continue
		}
		w.buf.Truncate(w.buf.Len() - 1) // the closing brace
		w.buf.WriteString(",\"values\":[")
		for j, v := range values {
			if j > 0 {
				w.buf.WriteByte(',')
			}
			w.buf.WriteString("\n  ")
			if v.Since == e.Since {
				v.Since = ""
			}
			w.value(v)
		}
		w.buf.WriteString("]}")
	}
	w.buf.WriteString("\n]")
}

func mapped[T, U any](items []T, f func(T) U) []U {
	if len(items) == 0 {
		return nil
	}
	out := make([]U, len(items))
	for i, it := range items {
		out[i] = f(it)
	}
	return out
}

// withoutTargets is the struct with no target names in layouts that all targets share.
func withoutTargets(s Struct, all []string) Struct {
	s.Layouts = sharedLayouts(s.Layouts, all)
	s.Fields = fieldsWithoutTargets(s.Fields, all)
	s.Variants = mapped(s.Variants, func(v StructVariant) StructVariant {
		v.Layouts = sharedLayouts(v.Layouts, all)
		v.Fields = fieldsWithoutTargets(v.Fields, all)
		return v
	})
	return s
}

func sharedLayouts(ls []Layout, all []string) []Layout {
	return mapped(ls, func(l Layout) Layout {
		if slices.Equal(l.Targets, all) {
			l.Targets = nil
		}
		return l
	})
}

func fieldsWithoutTargets(fs []Field, all []string) []Field {
	return mapped(fs, func(f Field) Field {
		if f.Inner != nil {
			in := withoutTargets(*f.Inner, all)
			f.Inner = &in
		}
		return f
	})
}

// withoutEnd leaves out the end of the last stretch when it is the newest version: else each
// release would change each line.
func (m *Model) withoutEnd(a Alias) Alias {
	if n, v := len(a.Spans), len(m.Versions); n > 0 && v > 0 &&
		a.Spans[n-1].To == m.Versions[v-1].Name {
		a.Spans = slices.Clone(a.Spans)
		a.Spans[n-1].To = ""
	}
	return a
}
