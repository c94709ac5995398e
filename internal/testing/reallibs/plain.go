package reallibs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// BuildPlain builds the test program of the package in the current folder without cgo, which needs
// less of a C library, so that it runs with that of any release. It returns the program's path.
func BuildPlain(dir string) (string, error) {
	program := filepath.Join(dir, "plain.test")
	cmd := exec.Command("go", "test", "-c", "-o", program, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the test program without cgo: %w\n%s", err, out)
	}
	return program, nil
}
