package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gpuevent/gpuevent/gen/internal/miniheaders"
)

// miniDir is the header package's testdata with its headers under their real names, historyDir its
// small API of three releases.
var miniDir, historyDir string

func TestMain(m *testing.M) {
	dir, err := miniheaders.Unpack(filepath.Join("header", "testdata"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	miniDir, historyDir = dir, filepath.Join(dir, "history")
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
