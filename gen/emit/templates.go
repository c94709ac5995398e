package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"maps"
	"text/template"
)

// templateFiles renders the files that the package shares with others.
func (p *Plan) templateFiles() ([]File, error) {
	t := &p.Rules.Binding.Templates
	words := map[string]string{"package": p.Rules.Binding.Package}
	maps.Copy(words, t.Words)
	var files []File
	for _, name := range t.Files {
		file := p.Rules.Binding.Package + "/z" + name + ".go"
		parsed, err := template.New(name).Option("missingkey=error").Parse(t.Text(name))
		if err != nil {
			return nil, fmt.Errorf("render %s: %w", file, err)
		}
		var b bytes.Buffer
		fmt.Fprintf(&b, "%s\n// The template is specs/templates/%s.go.tmpl.\n\n", p.header(), name)
		if err := parsed.Execute(&b, words); err != nil {
			return nil, fmt.Errorf("render %s: %w", file, err)
		}
		source, err := format.Source(b.Bytes())
		if err != nil {
			return nil, fmt.Errorf("render %s: %w", file, err)
		}
		files = append(files, File{file, source})
	}
	return files, nil
}
