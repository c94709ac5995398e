package dl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// libc stands in for a vendor library: it is on every machine that can run these tests.
func TestOpenARealLibrary(t *testing.T) {
	t.Parallel()
	l := library()
	l.Version.Symbol = "getpid"
	require.NoError(t, l.Load("/nowhere/libc.so", "libc.so.6"))
	assert.Equal(t, "libc.so.6", l.Path())
	a, err := (&Proc{Lib: l, Symbol: "getpid"}).Addr()
	require.NoError(t, err)
	assert.NotZero(t, a)
	_, err = (&Proc{Lib: l, Symbol: "cuNoSuchThing", Since: "99.0"}).Addr()
	assert.ErrorIs(t, err, ErrSymbolNotFound)
}

func TestStubIsNeverOpened(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/usr/local/cuda/lib64/stubs/libcuda.so", "stubs/libcuda.so"} {
		assert.ErrorContains(t, library().Load(path), "linker stub")
	}
}
