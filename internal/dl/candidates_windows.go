//go:build amd64 || arm64

package dl

import (
	"os"
	"path/filepath"
)

func system32() string {
	root := os.Getenv("SystemRoot")
	if root == "" {
		root = `C:\Windows`
	}
	return filepath.Join(root, "System32")
}

func cudaCandidates() []string { return []string{filepath.Join(system32(), "nvcuda.dll")} }

// hipVariables name folders of ROCm installations, the last one first.
var hipVariables = []string{"HIP_PATH", "ROCM_PATH"}

func hipCandidates() []string {
	folders := []string{system32()}
	for _, env := range hipVariables {
		if root := getenv(env); root != "" {
			folders = append([]string{filepath.Join(root, "bin")}, folders...)
		}
	}
	var paths []string
	for _, folder := range folders {
		for _, name := range []string{"amdhip64_8.dll", "amdhip64_7.dll", "amdhip64_6.dll",
			"amdhip64.dll"} {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	return paths
}
