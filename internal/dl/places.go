package dl

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/internal/versions"
)

// Search says where a library may be.
type Search struct {
	Linux, Windows Places
	// Paths are tried as they are instead, on every platform.
	Paths []string
}

// Places are the folders of one platform and the names that the library may have in each of them,
// the first choice first.
type Places struct {
	// Names are file names. A * matches as in a shell, the newest first: by the numbers in the names.
	Names []string
	// Folders are paths with slashes; "" leaves the search to the dynamic loader. A * matches as in a
	// shell, the newest first. A folder below ${NAME}, an environment variable, is left out if the
	// variable is not set. {triplet} is Debian's name of the platform, {system32} the system folder of
	// Windows, and {wheels} stands for the folders of Python packages of the active virtual
	// environment.
	Folders []string
	// Needs are groups of libraries, by file name, of which one each must open before this library,
	// which would crash without.
	Needs [][]string
}

// virtual are the variables that name an active virtual environment of Python.
var virtual = []string{"VIRTUAL_ENV", "CONDA_PREFIX"}

// places are those of the platform that the program runs on.
func (s *Search) places() *Places {
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" {
		switch runtime.GOOS {
		case "linux":
			return &s.Linux
		case "windows":
			return &s.Windows
		}
	}
	return &Places{} // no vendor has a library; a path from the user still works
}

// Candidates lists what to try, in order, on this platform. A pattern that matches nothing is
// listed as it is, so that the user sees that it was looked for.
func (l *Library) Candidates() (paths []string) {
	if l.Search.Paths != nil {
		return l.Search.Paths
	}
	p := l.Search.places()
	add := func(path string) {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for _, pattern := range p.Folders {
		for _, folder := range folders(pattern) {
			if isPattern(folder) {
				add(join(folder, p.Names[0]))
				continue
			}
			for _, name := range p.Names {
				for _, n := range matches(folder, name) {
					add(join(folder, n))
				}
			}
		}
	}
	return paths
}

// variables lists the environment variables that the search reads.
func (p *Places) variables() (names []string) {
	for _, folder := range p.Folders {
		for part := range strings.SplitSeq(folder, "/") {
			if name, ok := variable(part); ok {
				names = append(names, name)
			} else if part == "{wheels}" {
				names = append(names, virtual...)
			}
		}
	}
	return names
}

// variable is the name in "${NAME}".
func variable(part string) (string, bool) {
	name, ok := strings.CutPrefix(part, "${")
	return strings.TrimSuffix(name, "}"), ok
}

// folders are those that a pattern stands for, the first choice first.
func folders(pattern string) []string {
	found := []string{""}
	for i, part := range strings.Split(pattern, "/") {
		var next []string
		for _, f := range found {
			next = append(next, below(f, part, i == 0)...)
		}
		found = next
	}
	return found
}

// below are the folders that the next part of a pattern leads to from a folder.
func below(folder, part string, first bool) []string {
	name, isVariable := variable(part)
	switch {
	case isVariable:
		if root := getenv(name); root != "" {
			return []string{filepath.Join(folder, root)}
		}
		return nil
	case part == "{system32}":
		return []string{system32()}
	case part == "{wheels}":
		return wheels()
	case part == "{triplet}":
		part = triplet()
	case part == "" && first:
		return []string{""} // of an absolute path, or the loader's own search
	}
	if folder == "" {
		if first {
			return []string{part}
		}
		folder = string(filepath.Separator)
	}
	var all []string
	for _, name := range matches(folder, part) {
		all = append(all, filepath.Join(folder, name))
	}
	return all
}

// matches are the names in a folder that a pattern stands for, the newest first; the pattern itself
// if it is none or matches nothing.
func matches(folder, pattern string) (names []string) {
	if !isPattern(pattern) {
		return []string{pattern}
	}
	all, err := namesIn(folder)
	if err != nil {
		return []string{pattern}
	}
	for _, name := range all {
		if ok, _ := path.Match(pattern, name); ok {
			names = insert(names, name)
		}
	}
	if names == nil {
		return []string{pattern}
	}
	return names
}

// insert adds a name behind the newer ones. There are few, and package slices would link its sort
// into every program.
func insert(names []string, name string) []string {
	i := len(names)
	names = append(names, name)
	for ; i > 0 && natural(names[i-1], name) < 0; i-- {
		names[i] = names[i-1]
	}
	names[i] = name
	return names
}

// wheels are the folders of Python packages of the active virtual environment.
func wheels() []string {
	inside := "/lib/python3*/site-packages"
	if runtime.GOOS == "windows" {
		inside = "/Lib/site-packages"
	}
	var all []string
	for _, v := range virtual {
		all = append(all, folders("${"+v+"}"+inside)...)
	}
	return all
}

// triplet is Debian's name of the platform's library folder.
func triplet() string {
	if runtime.GOARCH == "arm64" {
		return "aarch64-linux-gnu"
	}
	return "x86_64-linux-gnu"
}

// system32 is the system folder of Windows.
func system32() string {
	root := os.Getenv("SystemRoot")
	if root == "" {
		root = `C:\Windows`
	}
	return filepath.Join(root, "System32")
}

// join is a file in a folder, or the bare name for the loader.
func join(folder, name string) string {
	if folder == "" {
		return name
	}
	return filepath.Join(folder, name)
}

func isPattern(s string) bool {
	for i := range len(s) {
		if s[i] == '*' || s[i] == '?' || s[i] == '[' {
			return true
		}
	}
	return false
}

// natural compares names with numbers in them: toy-6.4 comes before toy-6.10.
func natural(a, b string) int {
	for {
		i, j := digits(a), digits(b)
		if c := strings.Compare(a[:i], b[:j]); c != 0 || i == len(a) || j == len(b) {
			if c != 0 {
				return c
			}
			return len(a) - len(b)
		}
		a, b = a[i:], b[j:]
		i, j = text(a), text(b)
		if c := versions.CompareNumbers(a[:i], b[:j]); c != 0 {
			return c
		}
		a, b = a[i:], b[j:]
	}
}

// digits is where the first digit is.
func digits(s string) int { return first(s, true) }

// text is where the first character that is no digit is.
func text(s string) int { return first(s, false) }

func first(s string, digit bool) int {
	for i := range len(s) {
		if (s[i] >= '0' && s[i] <= '9') == digit {
			return i
		}
	}
	return len(s)
}
