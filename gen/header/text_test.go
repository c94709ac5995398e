package header

import (
	"path"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// specsDir is where the rules for headers are.
var specsDir = filepath.Join("..", "..", "specs")

// optionsOf are what the rules of an API say.
func optionsOf(t *testing.T, apiName, dir, version string) Options {
	t.Helper()
	h, err := rules.LoadHeader(specsDir, apiName)
	require.NoError(t, err)
	return Options{API: apiName, Header: *h, Dir: dir, Version: version}
}

// parseText parses headers that exist in memory only, so that a table of them, or a fuzzer, needs
// no disk.
func parseText(apiName string, texts map[string]string, targets ...model.Target) (model.Release,
	error) {
	h, err := rules.LoadHeader(specsDir, apiName)
	if err != nil {
		return model.Release{}, err
	}
	a := api{apiName, *h}
	a.Typedefs = ""
	fs := &files{dir: "vendor", standIns: a.Stubs, optional: map[string]string{},
		cache: map[string][]byte{}}
	for name, text := range texts {
		fs.cache[path.Join(fs.dir, name)] = []byte(text)
	}
	if len(targets) == 0 {
		targets = Targets
	}
	p := &parser{api: a, opts: Options{API: apiName, Dir: fs.dir, Targets: targets}, files: fs}
	return p.parse()
}
