package fake

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuevent/gpuevent/internal/versions"
)

// CUDA returns the driver of a CUDA release, "12.4": it has the functions that were introduced up
// to it, for drivers never lose one; it tells its version; and every function succeeds without
// doing a thing.
func CUDA(t testing.TB, version string) *Library {
	t.Helper()
	l, number := release(t, "cuda", version)
	l.Handle("cuDriverGetVersion", tell(number))
	return l
}

// HIP returns the runtime of a ROCm release, "6.4", in the same manner. Of the releases that
// headers were read of, it is the one with that prefix.
func HIP(t testing.TB, version string) *Library {
	t.Helper()
	l, number := release(t, "hip", version)
	l.Handle("hipDriverGetVersion", tell(number))
	l.Handle("hipRuntimeGetVersion", tell(number))
	return l
}

// tell is a C function that writes a number.
func tell(number int32) func(Args) int32 {
	return func(a Args) int32 { a.Put32(0, number); return 0 }
}

// spec is what a profile needs of specs/<api>.json.
type spec struct {
	Versions []struct {
		Name   string
		Number int32
	}
	Functions []struct{ Name, Since string }
}

func release(t testing.TB, api, version string) (*Library, int32) {
	t.Helper()
	s, err := readSpec(api)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range s.Versions {
		if v.Name != version && !strings.HasPrefix(v.Name, version+".") {
			continue
		}
		var symbols []string
		for _, f := range s.Functions {
			if !Newer(f.Since, v.Name) {
				symbols = append(symbols, f.Name)
			}
		}
		return New("fake "+api+" "+version, symbols...), v.Number
	}
	t.Fatalf("specs/%s.json has no release %s", api, version)
	return nil, 0
}

// Releases names the releases of an API, oldest first.
func Releases(t testing.TB, api string) []string {
	t.Helper()
	s, err := readSpec(api)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, v := range s.Versions {
		names = append(names, v.Name)
	}
	return names
}

func readSpec(api string) (*spec, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(root, "specs", api+".json"))
	if err != nil {
		return nil, err
	}
	s := new(spec)
	return s, json.Unmarshal(data, s)
}

// Root is the module's folder, above the folder that the test runs in.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "specs")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", os.ErrNotExist
		}
		dir = up
	}
}

// Newer reports whether release a came after release b.
func Newer(a, b string) bool { return versions.Compare(a, b) > 0 }
