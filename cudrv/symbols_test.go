package cudrv_test

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
)

// introduced says how it is said which release brought something, where it is not just the release:
// the oldest header that was read, and those behind a gap.
var introduced = map[string]string{
	"12.8": "after 12.6, by 12.8",
}

func TestEveryFunctionSaysThatItsSymbolIsMissing(t *testing.T) {
	t.Parallel()
	lib := fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
	lib.Drop(lib.Symbols()...)
	lib.Handle("cuDriverGetVersion", func(a fake.Args) int32 { a.Put32(0, 12040); return 0 })
	checked := 0
	for _, f := range proof.CUDA.Functions {
		if f.C == "cuDriverGetVersion" {
			continue
		}
		nonzero, err := fake.Split(fake.Zero(f.Go))
		require.ErrorIs(t, err, cudrv.ErrSymbolNotFound, f.C)
		var e *cudrv.SymbolError
		require.ErrorAs(t, err, &e, f.C)
		since := cmp.Or(introduced[f.Since], f.Since)
		came := "with CUDA " + since
		if between, ok := strings.CutPrefix(since, "after "); ok {
			came = "after CUDA " + between
		}
		want := cudrv.SymbolError{
			Symbol:  f.C,
			Since:   since,
			API:     "CUDA",
			Library: "fake cuda 12.4",
			Version: "12.4",
			Update:  "update the NVIDIA driver",
			Lack: f.C + " came " + came + ", but fake cuda 12.4 (CUDA 12.4) does not export it, and " +
				"an update may not bring it",
		}
		remedy := ""
		if fake.Newer(f.Since, "12.4") {
			want.Lack = f.C + " came " + came + ", and fake cuda 12.4 (CUDA 12.4) does not have it"
			want.Updatable = true
			remedy = "update the NVIDIA driver, or "
		}
		assert.Equal(t, want, *e)
		assert.Equal(t,
			fmt.Sprintf("symbol not found: %s; %sask Has(%q) before the call", want.Lack, remedy, f.C),
			err.Error())
		assert.Empty(t, nonzero, f.C)
		assert.False(t, cudrv.Has(f.C), f.C)
		assert.Equal(t, since, cudrv.Since(f.C))
		checked++
	}
	assert.Equal(t, len(proof.CUDA.Functions)-1, checked)
	assert.Empty(t, cudrv.Since("cuNoSuchFunction"))
}

func TestOldDriversLackExactlyWhatIsNewer(t *testing.T) {
	t.Parallel()
	for _, version := range fake.Releases(t, "cuda") {
		t.Run(version, func(t *testing.T) {
			fake.CUDA(t, version).Install(t, &libs.CUDA)
			missing := 0
			for _, f := range proof.CUDA.Functions {
				_, err := fake.Split(fake.Zero(f.Go))
				if fake.Newer(f.Since, version) {
					missing++
					assert.ErrorIs(t, err, cudrv.ErrSymbolNotFound, f.C)
					assert.ErrorContains(t, err, "(CUDA "+version+")", f.C)
					assert.False(t, cudrv.Has(f.C), f.C)
					continue
				}
				assert.NoError(t, err, f.C)
				assert.True(t, cudrv.Has(f.C), f.C)
			}
			v, err := cudrv.DriverVersion()
			require.NoError(t, err)
			assert.Equal(t, version, v.String())
			newest := fake.Releases(t, "cuda")
			assert.Equal(t, version == newest[len(newest)-1], missing == 0, "%d missing", missing)
		})
	}
}

// A call that is the first one of its function, or of the library, may be made by many goroutines
// at once.
func TestFirstCallsAtTheSameTime(t *testing.T) {
	t.Parallel()
	fake.CUDA(t, "12.4").Install(t, &libs.CUDA)
	const goroutines = 8
	start := make(chan struct{})
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			<-start
			for i := range proof.CUDA.Functions {
				f := &proof.CUDA.Functions[(i+g*len(proof.CUDA.Functions)/goroutines)%len(proof.CUDA.Functions)]
				if _, err := fake.Split(fake.Zero(f.Go)); fake.Newer(f.Since, "12.4") {
					assert.ErrorIs(t, err, cudrv.ErrSymbolNotFound, f.C)
				} else {
					assert.NoError(t, err, f.C)
				}
			}
		})
	}
	close(start)
	wg.Wait()
}

func TestEveryFunctionReturnsItsCode(t *testing.T) {
	t.Parallel()
	lib := fake.CUDA(t, fake.Releases(t, "cuda")[len(fake.Releases(t, "cuda"))-1])
	lib.Handle("cuDriverGetVersion", func(fake.Args) int32 { return int32(cudrv.ErrNotReady) })
	lib.Install(t, &libs.CUDA)
	lib.Answer(int32(cudrv.ErrNotReady))
	for _, f := range proof.CUDA.Functions {
		require.Equal(t, "result", f.Ret, f.C)
		results := fake.Zero(f.Go)
		nonzero, err := fake.Split(results)
		assert.Equal(t, cudrv.ErrNotReady, err, f.C)
		assert.Empty(t, nonzero, "%s returns what C did not write", f.C)
		assert.Equal(t, reflect.TypeFor[error](), results[len(results)-1].Type(), f.C)
	}
}
