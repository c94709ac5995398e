package reallibs_test

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/cache"
	"github.com/gpuevent/gpuevent/compute/internal/compiler"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

func init() { tasks["images"] = testImages }

// row is what compiling for one architecture gave.
type row struct {
	Compiler, Target, For, Kind string
	Size                        int
	Cold, Cached                times
}

// times are the least and the median of several runs, in milliseconds: the machine may be busy.
type times struct{ Least, Median float64 }

func timesOf(d []time.Duration) times {
	slices.Sort(d)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return times{ms(d[0]), ms(d[len(d)/2])}
}

// String has more digits for less time.
func (t times) String() string {
	if t.Median < 1 {
		return fmt.Sprintf("%.2f / %.2f", t.Least, t.Median)
	}
	return fmt.Sprintf("%.0f / %.0f", t.Least, t.Median)
}

// TestImages compiles for three architectures of each vendor with each release, and prints a table:
// that of docs/results/compute-images.md.
func TestImages(t *testing.T) {
	var table strings.Builder
	table.WriteString("| compiler | for | compiled for | kind | bytes | compile, ms | cached, ms |\n" +
		"|---|---|---|---|--:|--:|--:|\n")
	for _, l := range compilers(t) {
		var rows []row
		require.NoError(t, run(t, l, program(t, l), "images", t.TempDir(), &rows))
		require.NotEmpty(t, rows)
		for _, r := range rows {
			name := r.Compiler
			if l.API == "hiprtc" { // the file's name has only its major version where links are gone
				name = "hipRTC of " + l.Version
			}
			fmt.Fprintf(&table, "| %s | %s | %s | %s | %d | %s | %s |\n", name, r.For, r.Target,
				r.Kind, r.Size, r.Cold, r.Cached)
		}
	}
	t.Logf("\n%s", table.String())
}

func testImages(t *testing.T) {
	v := current()
	c := cache.Open(os.Getenv(folder), 0)
	_, err := v.compile(t.Context(), request(v.targets[0])) // what only the first one costs
	require.NoError(t, err)
	runs := 9
	if testing.Short() {
		runs = 1
	}
	var rows []row
	for _, target := range v.targets {
		r := request(target)
		got, err := v.compile(t.Context(), r)
		require.NoError(t, err)
		assert.Empty(t, got.Log)
		assert.Equal(t, lowered, got.Lowered)
		v.checkImage(t, target, got)

		var cold, cached []time.Duration
		for i := range runs {
			r.Text = source + fmt.Sprintf("// %s %d\n", target, i)
			cold = append(cold, timed(t, v, c, r))
			for range 4 {
				cached = append(cached, timed(t, v, c, r))
			}
		}
		again, err := v.cached(c, t.Context(), r)
		require.NoError(t, err)
		assert.Equal(t, got.Lowered, again.Lowered)
		assert.Equal(t, [3]string{got.Kind, got.Target, got.Compiler},
			[3]string{again.Kind, again.Target, again.Compiler})
		v.checkImage(t, target, again)
		rows = append(rows, row{got.Compiler, got.Target, target, got.Kind, len(got.Image),
			timesOf(cold), timesOf(cached)})
	}
	made := uint64(runs * len(v.targets))
	assert.Equal(t, cache.Counters{Misses: made, Stored: made, Hits: 4*made + 3}, c.Counters())
	tell(t, rows)
}

func timed(t *testing.T, v vendor, c *cache.Cache, r compiler.Request) time.Duration {
	start := time.Now()
	_, err := v.cached(c, t.Context(), r)
	require.NoError(t, err)
	return time.Since(start)
}

// checkImage checks the kind of an image and the kernels in it.
func (v *vendor) checkImage(t *testing.T, target string, r compiler.Result) {
	kernels := []string{"saxpy", "_Z4fillIfEvPT_S0_"}
	if v.nvidia && target == "sm_100" && fake.Newer("12.8", v.release) { // not in its list
		assert.Equal(t, [2]string{"compute_90", compiler.PTX}, [2]string{r.Target, r.Kind})
		for _, k := range kernels {
			assert.Contains(t, string(r.Image), ".entry "+k+"(")
		}
		assert.Equal(t, byte(0), r.Image[len(r.Image)-1])
		return
	}
	kind, machine := compiler.CodeObject, elf.Machine(224)
	if v.nvidia {
		kind, machine = compiler.Cubin, 190
	}
	assert.Equal(t, [2]string{target, kind}, [2]string{r.Target, r.Kind})
	image := bytes.Clone(r.Image)
	if v.nvidia { // the version in cubins of CUDA 11 is 118, which package elf does not read
		copy(image[20:], []byte{1, 0, 0, 0})
	}
	f, err := elf.NewFile(bytes.NewReader(image))
	require.NoError(t, err)
	assert.Equal(t, machine, f.Machine)
	symbols, err := f.Symbols()
	if err != nil {
		symbols, err = f.DynamicSymbols()
	}
	require.NoError(t, err)
	var names []string
	for _, s := range symbols {
		names = append(names, s.Name)
	}
	assert.Subset(t, names, append(kernels, "_ZN6limits4mostE"))
}
