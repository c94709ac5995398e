package clib

import (
	"os"
	"path/filepath"
	"testing"
)

// C text includes the headers that are there, finds our text in place of others, and has the
// macros.
func TestInclude(t *testing.T) {
	vendors["mini"] = headers{files: []string{"mini/a.h", "?b.h", "?absent.h"},
		defines: []string{"LONELY", "NUMBER=7"},
		stubs:   map[string]string{"else/where.h": "typedef int o;"}}
	t.Cleanup(func() { delete(vendors, "mini") })
	folder := t.TempDir()
	for file, text := range map[string]string{
		"mini/a.h": "#include <else/where.h>\nstatic const o a = NUMBER;\n",
		"b.h":      "#ifdef LONELY\nstatic const o b;\n#endif\n",
	} {
		path := filepath.Join(folder, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	source := filepath.Join(t.TempDir(), "source.c")
	if err := os.WriteFile(source, []byte("#include ORACLE_HEADER\nint sum(void) { return a + b; }\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	_, done, err := include("none", folder)
	if err == nil {
		done()
		t.Error("an API without headers has some")
	}
	cc, err := Compiler()
	if err != nil {
		t.Skip(err)
	}
	b := Build{Compiler: cc, Source: source, Out: filepath.Join(t.TempDir(), SharedLibrary("x")),
		Include: folder, API: "mini"}
	if err := b.Run(); err != nil {
		t.Error(err)
	}
}
