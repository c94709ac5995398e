package clib

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Library compiles C text to the shared library dir/name, whose soname is name where there are
// sonames. Without a C compiler it skips the test.
func Library(t testing.TB, dir, name, text string) (path string) {
	t.Helper()
	cc, err := Compiler()
	if errors.Is(err, ErrNoCompiler) {
		t.Skip(err)
	}
	source := filepath.Join(t.TempDir(), "source.c")
	if err := errors.Join(os.WriteFile(source, []byte(text), 0o644),
		os.MkdirAll(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	b := Build{Compiler: cc, Source: source, Out: filepath.Join(dir, name)}
	if runtime.GOOS == "linux" {
		b.Flags = []string{"-Wl,-soname," + name}
	}
	if err := b.Run(); err != nil {
		t.Fatal(err)
	}
	return b.Out
}
