package clib

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// headers are what C text includes of an API.
type headers struct {
	files   []string          // one with ? in front may be missing
	defines []string          // NAME or NAME=value
	stubs   map[string]string // texts of our own in place of headers from elsewhere
}

// include has the API's headers that a folder has included by C text, as ORACLE_HEADER. The
// returned flags are of use until done is called.
func include(api, folder string) (flags []string, done func(), err error) {
	h, ok := vendors[api]
	if !ok {
		return nil, nil, fmt.Errorf("no headers of %q: specs/%[1]s.toml and make generate", api)
	}
	dir, err := os.MkdirTemp("", "gpuevent-include")
	if err != nil {
		return nil, nil, err
	}
	done = func() { _ = os.RemoveAll(dir) }
	const name = "gpuevent_oracle.h"
	texts := map[string]string{name: h.text(folder)}
	for file, text := range h.stubs {
		texts[file] = text + "\n"
	}
	for file, text := range texts {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			done()
			return nil, nil, err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			done()
			return nil, nil, err
		}
	}
	for _, d := range h.defines {
		flags = append(flags, "-D"+d)
	}
	return append(flags, "-I", dir, "-I", folder, `-DORACLE_HEADER="`+name+`"`), done, nil
}

// text includes the headers that the folder has, and those that it has to have.
func (h headers) text(folder string) string {
	var b strings.Builder
	for _, file := range h.files {
		if optional, ok := strings.CutPrefix(file, "?"); ok {
			if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(optional))); err != nil {
				continue
			}
			file = optional
		}
		fmt.Fprintf(&b, "#include <%s>\n", file)
	}
	return b.String()
}
