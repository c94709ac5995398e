package reallibs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/bindings"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
	"github.com/gpuevent/gpuevent/internal/testing/reallibs"
)

// open reads the manifest, or skips the test where there is nothing to read.
func open(t *testing.T) *reallibs.Manifest {
	root, err := fake.Root()
	require.NoError(t, err)
	m, err := reallibs.Read(filepath.Join(root, ".reallibs"))
	if errors.Is(err, reallibs.ErrAbsent) {
		t.Skip(err)
	}
	require.NoError(t, err)
	if err := m.Fits(); err != nil {
		t.Skip(err)
	}
	return m
}

// built is this test program without cgo, which needs less of a C library. It is made when the
// program itself does not start.
var built struct {
	sync.Once
	dir, program string
	err          error
}

func plain() (string, error) {
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "reallibs"); built.err != nil {
			return
		}
		built.program, built.err = reallibs.BuildPlain(built.dir)
	})
	return built.program, built.err
}

// run probes one library in a process of its own.
func run(t *testing.T, l *reallibs.Library, program string) (*facts, error) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := l.Command(ctx, program)
	cmd.Env = append(cmd.Env, probe+"="+l.API)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, stderr.String())
	}
	f := new(facts)
	if err := json.Unmarshal(out, f); err != nil {
		return nil, fmt.Errorf("%w\n%s%s", err, out, stderr.String())
	}
	return f, nil
}

func ask(t *testing.T, l *reallibs.Library) *facts {
	self, err := os.Executable()
	require.NoError(t, err)
	f, err := run(t, l, self)
	if err != nil && l.Loader != "" {
		t.Logf("this program does not run with the C library of %s (%v)", l.Loader, err)
		var program string
		program, err = plain()
		require.NoError(t, err)
		f, err = run(t, l, program)
	}
	require.NoError(t, err)
	require.Empty(t, f.Failure)
	return f
}

// Every library is opened without a GPU, and asked all that can be asked so.
func TestRealLibraries(t *testing.T) {
	m := open(t)
	for _, s := range m.Skipped {
		t.Logf("%s %s is not here: %s", s.API, s.Version, s.Reason)
	}
	require.NotEmpty(t, m.Libraries)
	for i := range m.Libraries {
		l := &m.Libraries[i]
		t.Run(l.API+" "+l.Version, func(t *testing.T) {
			t.Parallel()
			if !l.Loadable {
				t.Skip(l.Reason)
			}
			if _, bound := bindings.Named(l.API); !bound {
				t.Skipf("the library is fetched, but the specs have no API %s", l.API)
			}
			if inside[l.API] != nil {
				testInside(t, m, l)
				return
			}
			f := ask(t, l)
			assert.Equal(t, l.Path(), f.Path, "the variable chose the library")
			spec := load(t, l.API)
			release := releaseOf(t, l, f, spec)
			symbols(t, l.API, release, spec, f)
			if probes[l.API] != nil {
				if f.Names != nil {
					names(t, l.API, release, spec, f)
				}
				steps(t, l, f)
			}
			t.Logf("opened in %s; release %s: %d symbols of the bindings, %d without; %d codes",
				f.Load.Round(time.Millisecond/10), release,
				len(spec.Functions)-len(f.Missing), len(f.Missing), len(f.Names))
		})
	}
}

func load(t *testing.T, api string) *proof.Spec {
	root, err := fake.Root()
	require.NoError(t, err)
	s, err := proof.LoadSpec(filepath.Join(root, "specs", api+".json"))
	require.NoError(t, err)
	return s
}

// drivers is the CUDA release that each branch of NVIDIA's driver has.
var drivers = map[string]string{"535": "12.2", "550": "12.4", "555": "12.5"}

// releaseOf returns the release of the headers that a library is one of, and checks it against the
// version that the library tells, if that is a number and its probe asks.
func releaseOf(t *testing.T, l *reallibs.Library, f *facts, spec *proof.Spec) string {
	release := l.Version
	branch, _, _ := strings.Cut(l.Version, ".")
	if cuda, ok := drivers[branch]; ok {
		release = cuda
	}
	number := spec.Number(release)
	require.NotZero(t, number, "the specs have no release %s", release)
	if probes[l.API] != nil && l.API != "nvml" {
		require.Equal(t, number, f.Version, "the version of %s", l.Version)
	}
	return release
}

// symbols checks that the library has every function of its release and those that older headers
// had, but for the ones that are excused; and that no excuse is for a function that is there.
func symbols(t *testing.T, api, release string, spec *proof.Spec, f *facts) {
	lacks := map[string]bool{}
	for _, s := range f.Missing {
		lacks[s] = true
	}
	count := 0
	for _, fn := range spec.Functions {
		if !fn.Has(release) {
			if !fake.Newer(fn.Since, release) {
				assert.Equal(t, excused(api, fn.Name, release) != "", lacks[fn.Name],
					"%s, which the headers of %s dropped: missing", fn.Name, release)
			}
			continue
		}
		count++
		excuse := excused(api, fn.Name, release)
		if lacks[fn.Name] {
			assert.NotEmpty(t, excuse, "%s is declared in %s and not exported", fn.Name, release)
		} else {
			assert.Empty(t, excuse, "%s is exported", fn.Name)
		}
	}
	assert.NotZero(t, count)
}

// names checks the name that the library has for each result code.
func names(t *testing.T, api, release string, spec *proof.Spec, f *facts) {
	b, _ := bindings.Named(api)
	aliases := map[int32][]string{}
	known := map[int32]bool{} // to the release
	for _, e := range spec.Enums {
		if e.Name != b.Enum {
			continue
		}
		for _, v := range e.Values {
			code := int32(v.Value)
			for _, x := range v.Variants { // moved since
				if !fake.Newer(x.From, release) && !fake.Newer(release, x.To) {
					code = int32(x.Value)
				}
			}
			aliases[code] = append(aliases[code], v.Name)
			known[code] = known[code] || v.Has(release)
		}
	}
	require.Greater(t, len(aliases), 70)
	for code, all := range aliases {
		name, ok := f.Names[code]
		if api == "hip" && name == "hipErrorUnknown" && code != 999 {
			ok = false // what the library says of codes that it does not know
		}
		if !ok {
			assert.False(t, known[code] && excusedName(api, release, code) == "",
				"%d, %v, is of %s and unknown to the library", code, all, release)
			continue
		}
		assert.Contains(t, all, name, "the library's name of %d", code)
	}
	for code, name := range f.Names {
		if len(aliases[code]) == 0 {
			assert.True(t, api == "hip" &&
				slices.Contains([]string{"hipErrorUnknown", "unknown error"}, name),
				"%d is %s to the library and nothing to us", code, name)
		}
	}
}
