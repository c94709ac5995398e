package reallibs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// ErrAbsent says that the libraries have not been fetched.
var ErrAbsent = errors.New(`the real libraries are not here: run "make reallibs"`)

// Manifest lists what was fetched.
type Manifest struct {
	OS        string
	Arch      string
	Libraries []Library
	// Skipped are releases that were not available.
	Skipped []struct{ API, Version, Reason string }
}

// Library is one release of a vendor's library. Its paths are relative to the manifest's folder.
type Library struct {
	API         string   // its name in the specs
	Version     string   // of the library's own counting: the driver's release, or ROCm's
	Library     string   // the file to open
	LibraryPath []string `json:"library_path"` // folders of what it needs, without a C library
	// starts programs with the C library in LoaderPath; "" if the machine's own will do
	Loader     string
	LoaderPath []string `json:"loader_path"`
	Loadable   bool     // all that it needs is there
	Reason     string   // why not

	dir string
}

// Read reads the manifest in a folder. The error is [ErrAbsent] if there is none.
func Read(dir string) (*Manifest, error) {
	file := filepath.Join(dir, "manifest.json")
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrAbsent
	}
	if err != nil {
		return nil, err
	}
	m := new(Manifest)
	if err := json.Unmarshal(data, m); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	for i := range m.Libraries {
		m.Libraries[i].dir = dir
	}
	return m, nil
}

// Fits reports whether this process is one that the libraries were made for.
func (m *Manifest) Fits() error {
	if m.OS != runtime.GOOS || m.Arch != runtime.GOARCH {
		return fmt.Errorf("the libraries are for %s/%s", m.OS, m.Arch)
	}
	return nil
}

// Path is the file to open, in full.
func (l *Library) Path() string { return l.full(l.Library) }

func (l *Library) full(path string) string { return filepath.Join(l.dir, filepath.FromSlash(path)) }
