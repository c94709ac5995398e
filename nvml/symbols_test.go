package nvml_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
	"github.com/gpuevent/gpuevent/nvml"
)

func TestEveryFunctionSaysThatItsSymbolIsMissing(t *testing.T) {
	t.Parallel()
	lib := install(t, "12.4")
	lib.Drop(lib.Symbols()...)
	lib.Handle("nvmlSystemGetNVMLVersion", text(0, version))
	for _, f := range proof.NVML.Functions {
		if f.C == "nvmlSystemGetNVMLVersion" {
			continue
		}
		nonzero, err := fake.Split(fake.Zero(f.Go))
		require.ErrorIs(t, err, nvml.ErrSymbolNotFound, f.C)
		var e *nvml.SymbolError
		require.ErrorAs(t, err, &e, f.C)
		assert.Equal(t, f.C, e.Symbol)
		assert.Equal(t, nvml.Since(f.C), e.Since)
		assert.Equal(t, "CUDA", e.API)
		assert.Equal(t, version, e.Version)
		assert.Contains(t, err.Error(), "(NVML "+version+")")
		assert.Empty(t, nonzero, f.C)
		assert.False(t, nvml.Has(f.C), f.C)
	}
}

func TestOldDriversLackExactlyWhatIsNewer(t *testing.T) {
	t.Parallel()
	releases := fake.Releases(t, "nvml")
	for _, release := range releases {
		t.Run(release, func(t *testing.T) {
			install(t, release)
			lacking := 0
			for _, f := range proof.NVML.Functions {
				_, err := fake.Split(fake.Zero(f.Go))
				if fake.Newer(f.Since, release) || f.Missing != "" {
					assert.ErrorIs(t, err, nvml.ErrSymbolNotFound, f.C)
					lacking++
					continue
				}
				assert.NoError(t, err, f.C)
				assert.True(t, nvml.Has(f.C), f.C)
			}
			assert.Equal(t, release == releases[len(releases)-1], lacking == 0, "%d lacking", lacking)
		})
	}
}

func TestEveryFunctionReturnsItsCode(t *testing.T) {
	t.Parallel()
	lib := install(t, "13.5")
	lib.Handle("nvmlSystemGetNVMLVersion", func(fake.Args) int32 { return int32(nvml.ErrInUse) })
	for _, f := range proof.NVML.Functions {
		if f.Missing != "" {
			continue
		}
		if f.C == "nvmlErrorString" { // nil, for which C means no text
			lib.Answer(0)
			nonzero, err := fake.Split(fake.Zero(f.Go))
			assert.NoError(t, err)
			assert.Empty(t, nonzero)
			continue
		}
		lib.Answer(int32(nvml.ErrInUse))
		nonzero, err := fake.Split(fake.Zero(f.Go))
		assert.ErrorIs(t, err, nvml.ErrInUse, f.C)
		var call *nvml.CallError
		require.ErrorAs(t, err, &call, f.C)
		assert.Equal(t, f.C, call.Function)
		assert.Empty(t, nonzero, "%s returns what C did not write", f.C)
	}
}
