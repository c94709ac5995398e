package planted

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// place is what a mistake is planted into.
type place string

const (
	inSpec      place = "spec"         // specs/<api>.json, and everything is generated from it anew
	inFacts     place = "facts"        // specs/<api>.facts.toml, likewise
	inRules     place = "rules"        // specs/<api>.toml, likewise
	inLock      place = "lock"         // specs/<api>.lock, likewise
	inGenerator place = "generator"    // the generator's Go code, which then generates everything anew
	inCode      place = "emitted code" // a generated file
	inCallPath  place = "call path"    // what the generated code rests on
	inOracle    place = "oracle"       // the C text of the oracle
)

// edit replaces text of a file. The text occurs once in the part of the file that begins with in.
type edit struct {
	file     string
	in       string // "" for all of the file
	old, new string
}

// plant is a mistake.
type plant struct {
	name  string
	place place
	edit
	also []edit
	// what finds it: a test of the root package, "folder Test" for one of another package, or a
	// command of the generator
	finder string
	says   string // what that says, as a pattern
	needs  need   // what the machine must have, besides Go
	alone  bool   // it hides others, so that it is never planted together with them
	// the lock still has all that it had: for others it is as if a maintainer had acknowledged the
	// change
	locked bool
}

func (p *plant) edits() []edit { return append([]edit{p.edit}, p.also...) }

// need is what a machine may lack.
type need int

const (
	aCompiler need = 1 << iota
	headers
	libraries
	systemV // the processor and calling convention of linux/amd64
)

// apply makes the replacement in a text.
func (e edit) apply(text string) (string, error) {
	from := 0
	if e.in != "" {
		if n := strings.Count(text, e.in); n != 1 {
			return "", fmt.Errorf("%s: %q, where the text to change is behind, occurs %d times instead "+
				"of once", e.file, e.in, n)
		}
		from = strings.Index(text, e.in)
	}
	rest := text[from:]
	switch n := strings.Count(rest, e.old); {
	case n == 0 || e.in == "" && n > 1:
		return "", fmt.Errorf("%s: the text to change occurs %d times instead of once:\n%s", e.file, n,
			e.old)
	case e.old == e.new:
		return "", fmt.Errorf("%s: nothing is changed:\n%s", e.file, e.old)
	}
	return text[:from] + strings.Replace(rest, e.old, e.new, 1), nil
}

// changed is the text of each file that plants change, by its path in the repository.
func changed(root string, plants []plant) (map[string]string, error) {
	texts := map[string]string{}
	for _, p := range plants {
		for _, e := range p.edits() {
			text, ok := texts[e.file]
			if !ok {
				data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(e.file)))
				if err != nil {
					return nil, fmt.Errorf("%s: %w", p.name, err)
				}
				text = string(data)
			}
			text, err := e.apply(text)
			if err != nil {
				return nil, fmt.Errorf("%s: adapt the plant: %w", p.name, err)
			}
			texts[e.file] = text
		}
	}
	return texts, nil
}

func repository(t *testing.T) string {
	root, err := fake.Root()
	require.NoError(t, err)
	root, err = filepath.EvalSymlinks(root)
	require.NoError(t, err)
	return root
}

// TestPlantsFit wants the table to keep up with the sources, and to be worth its name.
func TestPlantsFit(t *testing.T) {
	t.Parallel()
	root := repository(t)
	names, places := map[string]bool{}, map[place]int{}
	for _, p := range plants() {
		assert.False(t, names[p.name], "%s is there twice", p.name)
		names[p.name] = true
		places[p.place]++
		_, err := regexp.Compile(p.says)
		assert.NoError(t, err, p.name)
		assert.NotEmpty(t, p.finder, p.name)
		_, err = changed(root, []plant{p})
		assert.NoError(t, err)
	}
	assert.GreaterOrEqual(t, len(names), 40)
	for _, in := range []place{inSpec, inFacts, inGenerator, inCode} {
		assert.NotZero(t, places[in], "nothing is planted into the %s", in)
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	const text = "func a() { x(); y() }\nfunc b() { x(); y() }\n"
	for _, tc := range []struct {
		e    edit
		want string // "" for an error
	}{
		{edit{in: "func b()", old: "x()", new: "z()"},
			"func a() { x(); y() }\nfunc b() { z(); y() }\n"},
		{edit{old: "b()", new: "c()"}, "func a() { x(); y() }\nfunc c() { x(); y() }\n"},
		{edit{old: "x()", new: "z()"}, ""},
		{edit{old: "w()", new: "z()"}, ""},
		{edit{in: "func", old: "x()", new: "z()"}, ""},
		{edit{in: "func a()", old: "x()", new: "x()"}, ""},
	} {
		got, err := tc.e.apply(text)
		assert.Equal(t, tc.want, got)
		assert.Equal(t, tc.want == "", err != nil, "%v", err)
	}
}
