package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// Load reads the rule files of an API in the folder dir. A file with facts or texts that does not
// exist counts as empty; specs/<api>.toml must exist. Syntax errors and unknown keys come with file
// and line.
func Load(dir, api string) (*Rules, error) {
	r := &Rules{API: api, sources: map[string]*source{}}
	var problems Problems
	for _, f := range []struct {
		ext      string
		into     any
		optional bool
	}{
		{"toml", &r.Binding, false},
		{"facts.toml", &r.Facts, true},
		{"docs.toml", &r.Docs, true},
		{"errors.toml", &r.Errors, true},
	} {
		ps, err := r.read(dir, f.ext, f.into, f.optional)
		if err != nil {
			return nil, err
		}
		problems = append(problems, ps...)
	}
	for name, g := range r.Docs.Groups {
		if g.Page != "" && !strings.Contains(g.Page, "://") {
			g.Page = r.Binding.Docs + g.Page
			r.Docs.Groups[name] = g
		}
	}
	// a code that gen new listed and nobody has written about yet counts as missing
	maps.DeleteFunc(r.Errors, func(_ string, t ErrorText) bool { return t == ErrorText{} })
	lock, err := LoadLock(filepath.Join(dir, api+".lock"))
	if err != nil {
		return nil, err
	}
	r.Lock = lock
	if err := r.Binding.Templates.load(filepath.Join(dir, "templates")); err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return r, nil
}

// load reads the templates' files.
func (t *Templates) load(dir string) error {
	t.texts = map[string]string{}
	for _, file := range t.Files {
		text, err := os.ReadFile(filepath.Join(dir, file+".go.tmpl"))
		if err != nil {
			return fmt.Errorf("read the templates: %w", err)
		}
		t.texts[file] = string(text)
	}
	return nil
}

// typeError matches the decoder's error for a value of the wrong type.
var typeError = regexp.MustCompile(`^toml: line (\d+) \(last key "([^"]*)"\): (.*)$`)

func (r *Rules) read(dir, ext string, into any, optional bool) (Problems, error) {
	path := filepath.Join(dir, r.API+"."+ext)
	name := filepath.ToSlash(path)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && optional {
		r.sources[ext] = newSource(name, "")
		r.Warnings = append(r.Warnings,
			Problem{name, 0, "there is no such file; heuristics and generic texts are used instead"})
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the rules of %s: %w", r.API, err)
	}
	r.sources[ext] = newSource(name, string(data))
	md, err := toml.Decode(string(data), into)
	if err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			return nil, Problem{name, pe.Position.Line, pe.Message}
		}
		if m := typeError.FindStringSubmatch(err.Error()); m != nil {
			line, _ := strconv.Atoi(m[1])
			return nil, Problem{name, line, m[2] + ": " + m[3]}
		}
		return nil, Problem{name, 0, err.Error()}
	}
	var problems Problems
	for _, k := range md.Undecoded() {
		table, key := strings.Join(k[:len(k)-1], "."), k[len(k)-1]
		if parent := len(k) - 2; parent >= 0 && r.sources[ext].lines[table+"\x00"+key] == 0 {
			// an inline table: the line of the key that holds it
			problems = append(problems, r.sources[ext].key(strings.Join(k[:parent], "."), k[parent],
				"unknown key %q", key))
			continue
		}
		problems = append(problems, r.sources[ext].key(table, key, "unknown key %q", key))
	}
	return problems, nil
}
