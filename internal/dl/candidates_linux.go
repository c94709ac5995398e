//go:build !android && (amd64 || arm64)

package dl

import (
	"path/filepath"
	"runtime"
)

// triplet is Debian's name of the platform's library folder.
func triplet() string {
	if runtime.GOARCH == "arm64" {
		return "aarch64-linux-gnu"
	}
	return "x86_64-linux-gnu"
}

// cudaCandidates names libcuda.so.1 only: libcuda.so without a number can be the toolkit's linker
// stub.
func cudaCandidates() []string {
	const soname = "libcuda.so.1"
	return []string{
		soname, // the dynamic loader's own search
		"/usr/lib/" + triplet() + "/" + soname,
		"/usr/lib64/" + soname,
		"/usr/lib/wsl/lib/" + soname,
		"/usr/lib/" + triplet() + "/tegra/" + soname,
		"/usr/lib/" + triplet() + "/nvidia/" + soname,
		"/usr/local/nvidia/lib64/" + soname,                   // the mount of container runtimes
		"/run/opengl-driver/lib/" + soname,                    // NixOS
		"/usr/local/cuda/compat/" + soname,                    // forward compatibility package
		"/usr/lib/" + triplet() + "/nvidia/current/" + soname, // Debian's alternatives
	}
}

// hipSonames are the names of the library's major versions, newest first; the bare name comes last,
// because some installations lack the link.
var hipSonames = []string{
	"libamdhip64.so.8",
	"libamdhip64.so.7",
	"libamdhip64.so.6",
	"libamdhip64.so.5",
	"libamdhip64.so",
}

// hipVariables name folders of ROCm installations.
var hipVariables = []string{"ROCM_PATH", "HIP_PATH"}

func hipCandidates() []string {
	var paths []string
	add := func(folder string) {
		for _, name := range hipSonames {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	for _, env := range hipVariables {
		if root := getenv(env); root != "" {
			add(filepath.Join(root, "lib"))
		}
	}
	add("") // the dynamic loader's own search
	for _, folder := range []string{"/opt/rocm/lib", "/opt/rocm/core/lib", "/usr/lib/" + triplet(),
		"/usr/lib64"} {
		add(folder)
	}
	return paths
}
