package cudrv_test

import (
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// What a result costs. The C library's abs plays cuEventQuery: it returns its argument.
func BenchmarkResult(b *testing.B) {
	lib := fake.New("libc").Install(b, &libs.CUDA)
	abs, err := purego.Dlsym(purego.RTLD_DEFAULT, "abs")
	require.NoError(b, err)
	lib.Address("cuEventQuery", abs)
	for _, code := range []cudrv.Result{cudrv.Success, cudrv.ErrNotReady, cudrv.ErrInvalidHandle} {
		b.Run(code.Name(), func(b *testing.B) {
			b.ReportAllocs()
			var failed int
			for b.Loop() {
				if cudrv.EventQuery(cudrv.Event(code)) != nil {
					failed++
				}
			}
			require.Equal(b, code != 0, failed > 0)
		})
	}
}
