package main

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/internal/versions"
)

// sonameOf reads the name under which a shared object is asked for.
func sonameOf(data []byte) (string, bool) {
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil || f.Type != elf.ET_DYN {
		return "", false
	}
	names, err := f.DynString(elf.DT_SONAME)
	if err != nil || len(names) == 0 || names[0] == "" {
		return "", false
	}
	return names[0], true
}

// needsOf reads which libraries a shared object needs, and the newest glibc version that it asks
// for.
func needsOf(name string) (needs []string, glibc string, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	f, err := elf.NewFile(file)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	if needs, err = f.ImportedLibraries(); err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	needed, err := f.DynamicVersionNeeds()
	if err != nil && !errors.Is(err, elf.ErrNoSymbols) {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	for _, library := range needed {
		for _, dep := range library.Needs {
			if v, ok := strings.CutPrefix(dep.Dep, "GLIBC_"); ok && versions.Compare(v, glibc) > 0 &&
				v != "PRIVATE" && !strings.HasPrefix(v, "ABI_") {
				glibc = v
			}
		}
	}
	slices.Sort(needs)
	return needs, glibc, nil
}

// cLibraries are what belongs to the C library itself.
var cLibraries = []string{"ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libm.so.6",
	"libpthread.so.0", "librt.so.1", "libresolv.so.2", "libutil.so.1"}
