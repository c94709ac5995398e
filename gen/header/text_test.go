package header

import (
	"path"

	"github.com/gpuevent/gpuevent/gen/model"
)

// parseText parses headers that exist in memory only, so that a table of them, or a fuzzer, needs
// no disk.
func parseText(apiName string, texts map[string]string, targets ...model.Target) (model.Release,
	error) {
	a, err := findAPI(apiName)
	if err != nil {
		return model.Release{}, err
	}
	a.typedefs = ""
	fs := &files{dir: "vendor", optional: map[string]string{}, cache: map[string][]byte{}}
	for name, text := range texts {
		fs.cache[path.Join(fs.dir, name)] = []byte(text)
	}
	if len(targets) == 0 {
		targets = Targets
	}
	p := &parser{api: a, opts: Options{API: apiName, Dir: fs.dir, Targets: targets}, files: fs}
	return p.parse()
}
