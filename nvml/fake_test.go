package nvml_test

import (
	"encoding/binary"
	"testing"

	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
)

// version is what the fake library says that it is.
const version = "12.550.163.01"

// put writes bytes to an address of C.
func put(at uintptr, data []byte) {
	for len(data)%8 != 0 {
		data = append(data, 0)
	}
	for i := 0; i < len(data); i += 8 {
		fake.Args{at + uintptr(i)}.Put64(0, uintptr(binary.NativeEndian.Uint64(data[i:])))
	}
}

// text is a C function that writes a text to the address in word i.
func text(i int, s string) func(fake.Args) int32 {
	return func(a fake.Args) int32 { put(a[i], append([]byte(s), 0)); return 0 }
}

// install installs the library of a CUDA release: it has the functions that the release's header
// declares, and each succeeds without doing a thing.
func install(t *testing.T, release string) *fake.Library {
	var symbols []string
	for _, f := range proof.NVML.Functions {
		if !fake.Newer(f.Since, release) && f.Missing == "" {
			symbols = append(symbols, f.C)
		}
	}
	lib := fake.New("fake nvml "+release, symbols...)
	lib.Handle("nvmlSystemGetNVMLVersion", text(0, version))
	return lib.Install(t, &libs.NVML)
}
