package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// ErrSpec is wrapped by the error of every malformed spec file.
var ErrSpec = errors.New("malformed spec")

// SpecError reports where a spec file is malformed. It matches ErrSpec.
type SpecError struct {
	File string
	Line int
	Err  error
}

// Error is "file:line: what".
func (e *SpecError) Error() string {
	return fmt.Sprintf("%s:%d: %v: %v", e.File, e.Line, ErrSpec, e.Err)
}

// Unwrap returns ErrSpec and the cause.
func (e *SpecError) Unwrap() []error { return []error{ErrSpec, e.Err} }

// Load reads and checks a spec file. It returns all errors in the content at once, each with file
// and line.
func Load(path string) (*Model, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load spec: %w", err)
	}
	return Decode(path, data)
}

// Decode reads a spec from data; name is the file's name in errors. Unknown and repeated keys are
// errors.
func Decode(name string, data []byte) (*Model, error) {
	d := &specDecoder{name: name, data: data, lines: map[entityKey]int{}}
	m, err := d.decode()
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, p := range m.Check() {
		errs = append(errs, &SpecError{File: name, Line: max(1, d.lines[entityKey{p.Section, p.Name}]),
			Err: p})
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return m, nil
}

type entityKey struct{ section, name string }

type specDecoder struct {
	name  string
	data  []byte
	lines map[entityKey]int
}

func (d *specDecoder) fail(offset int64, err error) error {
	offset = min(max(offset, 0), int64(len(d.data)))
	line := 1 + bytes.Count(d.data[:offset], []byte("\n"))
	return &SpecError{File: d.name, Line: line, Err: err}
}

func (d *specDecoder) decode() (*Model, error) {
	dec := json.NewDecoder(bytes.NewReader(d.data))
	if err := d.delim(dec, '{'); err != nil {
		return nil, err
	}
	m := &Model{}
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, d.fail(dec.InputOffset(), readable(err))
		}
		key, _ := t.(string)
		if seen[key] {
			return nil, d.fail(dec.InputOffset(), fmt.Errorf("the section %q is repeated", key))
		}
		seen[key] = true
		if err := d.section(dec, m, key); err != nil {
			return nil, err
		}
	}
	if err := d.delim(dec, '}'); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, d.fail(dec.InputOffset(), errors.New("text after the closing brace"))
	}
	m.complete()
	return m, nil
}

func (d *specDecoder) delim(dec *json.Decoder, want json.Delim) error {
	t, err := dec.Token()
	if err != nil {
		return d.fail(dec.InputOffset(), readable(err))
	}
	if t != want {
		return d.fail(dec.InputOffset(), fmt.Errorf("%q expected, %v found", want.String(), t))
	}
	return nil
}

func (d *specDecoder) section(dec *json.Decoder, m *Model, key string) error {
	switch key {
	case "api":
		start := dec.InputOffset()
		if err := dec.Decode(&m.API); err != nil {
			return d.fail(start, readable(err))
		}
		return nil
	case "versions":
		return decodeLines(d, dec, key, &m.Versions, func(v *Version) string { return v.Name })
	case "targets":
		return decodeLines(d, dec, key, &m.Targets, func(t *Target) string { return t.String() })
	case "functions":
		return decodeLines(d, dec, key, &m.Functions, func(f *Function) string { return f.Name })
	case "enums":
		return decodeLines(d, dec, key, &m.Enums, func(e *Enum) string { return e.Name })
	case "structs":
		return decodeLines(d, dec, key, &m.Structs, func(s *Struct) string { return s.Name })
	case "typedefs":
		return decodeLines(d, dec, key, &m.Typedefs, func(t *Typedef) string { return t.Name })
	case "consts":
		return decodeLines(d, dec, key, &m.Consts, func(c *Const) string { return c.Name })
	case "aliases":
		return decodeLines(d, dec, key, &m.Aliases, func(a *Alias) string { return a.Name })
	}
	return d.fail(dec.InputOffset(), fmt.Errorf("unknown section %q", key))
}

func decodeLines[T any](d *specDecoder, dec *json.Decoder, section string, out *[]T,
	name func(*T) string) error {
	if err := d.delim(dec, '['); err != nil {
		return err
	}
	for dec.More() {
		var raw json.RawMessage
		before := dec.InputOffset()
		if err := dec.Decode(&raw); err != nil {
			return d.fail(syntaxOffset(err, before), readable(err))
		}
		start := dec.InputOffset() - int64(len(raw))
		var item T
		strict := json.NewDecoder(bytes.NewReader(raw))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&item); err != nil {
			at := strict.InputOffset()
			var typ *json.UnmarshalTypeError
			if errors.As(err, &typ) {
				at = typ.Offset
			} else if i := unknownAt(raw, err); i >= 0 {
				at = int64(i)
			}
			return d.fail(start+at, readable(err))
		}
		if at, key := repeatedKey(raw); key != "" {
			return d.fail(start+at, fmt.Errorf("the key %q is repeated", key))
		}
		d.lines[entityKey{section, name(&item)}] = 1 + bytes.Count(d.data[:start], []byte("\n"))
		*out = append(*out, item)
	}
	return d.delim(dec, ']')
}

func syntaxOffset(err error, fallback int64) int64 {
	var syn *json.SyntaxError
	if errors.As(err, &syn) {
		return syn.Offset
	}
	return fallback
}

// unknownAt finds the key that DisallowUnknownFields complained about: its error names the key, not
// the place.
func unknownAt(raw []byte, err error) int {
	_, key, ok := strings.Cut(err.Error(), "unknown field ")
	if !ok {
		return -1
	}
	return bytes.Index(raw, []byte(key))
}

// repeatedKey finds a key that an object of raw has twice; encoding/json would silently take the
// last one.
func repeatedKey(raw []byte) (int64, string) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	type level struct {
		keys map[string]bool // nil in an array
		key  bool            // a key comes next
	}
	var stack []level
	for {
		t, err := dec.Token()
		if err != nil {
			return 0, ""
		}
		if n := len(stack); n > 0 && stack[n-1].keys != nil && stack[n-1].key {
			if s, ok := t.(string); ok {
				// encoding/json matches keys without regard to case.
				if f := strings.ToLower(s); stack[n-1].keys[f] {
					return dec.InputOffset(), s
				} else {
					stack[n-1].keys[f] = true
				}
				stack[n-1].key = false
				continue
			}
		}
		if n := len(stack); n > 0 {
			stack[n-1].key = true
		}
		switch t {
		case json.Delim('{'):
			stack = append(stack, level{keys: map[string]bool{}, key: true})
		case json.Delim('['):
			stack = append(stack, level{})
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		}
	}
}

// readable removes the decoder's own prefixes; file and line are added instead.
func readable(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends too early")
	}
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// complete restores what Encode leaves out.
func (m *Model) complete() {
	for i := range m.Enums {
		e := &m.Enums[i]
		for j := range e.Values {
			if e.Values[j].Since == "" {
				e.Values[j].Since = e.Since
			}
		}
	}
	all := m.targetNames()
	for i := range m.Structs {
		completeStruct(&m.Structs[i], all)
	}
	if len(m.Versions) == 0 {
		return
	}
	newest := m.Versions[len(m.Versions)-1].Name
	for i := range m.Aliases {
		if s := m.Aliases[i].Spans; len(s) > 0 && s[len(s)-1].To == "" {
			s[len(s)-1].To = newest
		}
	}
}

func completeStruct(s *Struct, all []string) {
	completeLayouts(s.Layouts, s.Fields, all)
	for i := range s.Variants {
		completeLayouts(s.Variants[i].Layouts, s.Variants[i].Fields, all)
	}
}

func completeLayouts(ls []Layout, fs []Field, all []string) {
	for i := range ls {
		if len(ls[i].Targets) == 0 {
			ls[i].Targets = slices.Clone(all)
		}
	}
	for i := range fs {
		if fs[i].Inner != nil {
			completeStruct(fs[i].Inner, all)
		}
	}
}
