package header

import (
	"fmt"
	"os"
	"testing"

	"github.com/gpuevent/gpuevent/gen/internal/miniheaders"
)

// miniDir is testdata with its headers under their real names.
var miniDir string

func TestMain(m *testing.M) {
	dir, err := miniheaders.Unpack("testdata")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	miniDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
