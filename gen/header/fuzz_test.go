package header

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gpuevent/gpuevent/gen/model"
)

// FuzzHeader shows that whatever text stands in a header, reading it ends, does not panic, and
// gives a model that can be written and read again, or an error.
func FuzzHeader(f *testing.F) {
	seeds, err := filepath.Glob(filepath.Join(miniDir, "*", "include", "cuda.h"))
	if err != nil || len(seeds) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, s := range seeds {
		text, err := os.ReadFile(s)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			t.Skip("a header of this size takes the fuzzer too long")
		}
		r, err := parseText("cuda", map[string]string{"cuda.h": text}, Targets[0], Targets[2])
		if err != nil {
			return
		}
		data, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := model.Decode("fuzz.json", data); err != nil {
			t.Fatalf("what was read can't be read again: %v", err)
		}
	})
}

// FuzzDocs shows that comments of any shape are scanned without a panic.
func FuzzDocs(f *testing.F) {
	f.Add("/** @defgroup A b\n@{ */ int a(int x); /** @} */ // \"\n'/*", 30)
	f.Fuzz(func(_ *testing.T, text string, offset int) {
		d := scanDocs(text)
		d.group(offset)
		d.directions(max(offset, 0))
	})
}
