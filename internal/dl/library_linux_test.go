package dl_test

import "github.com/gpuevent/gpuevent/internal/dl"

// versionOf is the C text of a library that returns its version.
func versionOf(number string) string {
	return "int version(int *v) { *v = " + number + "; return 0; }"
}

// library is one of the test's own, searched for at the candidates.
func library(candidates ...string) *dl.Library {
	return &dl.Library{
		Name:   "test library",
		API:    "CUDA",
		Env:    "GPUEVENT_TEST_LIBRARY",
		Remedy: "install it",
		Update: "update it",
		Search: dl.Search{
			Paths: candidates,
			Linux: dl.Places{Folders: []string{"${GPUEVENT_TEST_FOLDER}"}, Names: []string{"lib.so"}},
		},
		Version: dl.Version{Symbol: "version", Format: []int{1000, 10}},
	}
}
