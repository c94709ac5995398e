package header

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

//go:embed stubs
var stubs embed.FS

// stubsDir is the folder that our own system headers seem to lie in; no real path looks like it.
const stubsDir = "<stubs>"

// standInsDir is where the API's own stand-ins for headers of other APIs seem to lie.
const standInsDir = "<stand-ins>"

// files is the file system that a header may see: the vendor's include folder and our own stand-ins
// for the C library's headers. Nothing else of the host is visible. Each file is read once for all
// targets.
type files struct {
	dir      string
	optional map[string]string // path -> the optional header, as the API's list names it
	extra    map[string]string // files that are not on the disk, by name
	standIns map[string]string // of the API
	foreign  []string          // patterns of headers of other APIs
	mu       sync.Mutex
	cache    map[string][]byte
}

func newFiles(dir string, standIns map[string]string) (*files, error) {
	st, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoHeader, err)
	}
	if !st.IsDir() {
		return nil, fmt.Errorf("%w: %s is no folder", ErrNoHeader, dir)
	}
	return &files{dir: filepath.ToSlash(filepath.Clean(dir)), standIns: standIns,
		optional: map[string]string{},
		cache:    map[string][]byte{}}, nil
}

// vendor reports whether a file name from a token's position is one of the vendor's, or stands in
// for one.
func (f *files) vendor(name string) bool {
	if _, ok := f.extra[name]; ok {
		return true
	}
	return strings.HasPrefix(name, standInsDir+"/") || name != "" && name[0] != '<' && f.inside(name)
}

func (f *files) inside(name string) bool {
	name = filepath.ToSlash(name)
	return f.dir == "." && !path.IsAbs(name) && !strings.HasPrefix(name, "../") ||
		strings.HasPrefix(name, strings.TrimSuffix(f.dir, "/")+"/")
}

// Open implements fs.FS for cc, which asks for paths as its include lists spell them.
func (f *files) Open(name string) (fs.File, error) {
	data, err := f.read(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{name: path.Base(name), r: strings.NewReader(string(data))}, nil
}

func (f *files) read(name string) ([]byte, error) {
	if text, ok := f.extra[name]; ok {
		return []byte(text), nil
	}
	name = path.Clean(filepath.ToSlash(name))
	f.mu.Lock()
	defer f.mu.Unlock()
	if data, ok := f.cache[name]; ok {
		if data == nil {
			return nil, fs.ErrNotExist
		}
		return data, nil
	}
	var data []byte
	var err error
	folder, rest, _ := strings.Cut(name, "/")
	switch {
	case folder == stubsDir:
		data, err = stubs.ReadFile("stubs/" + rest)
	case folder == standInsDir:
		text, ok := f.standIns[rest]
		if data = []byte(text); !ok {
			err = fs.ErrNotExist
		}
	case f.inside(name):
		data, err = os.ReadFile(filepath.FromSlash(name))
	default:
		err = fs.ErrNotExist
	}
	if err != nil {
		f.cache[name] = nil
		if errors.Is(err, fs.ErrNotExist) {
			err = fs.ErrNotExist
		}
		return nil, err
	}
	data = microsoftPragma.ReplaceAll(data, []byte("#pragma $1"))
	if data == nil {
		data = []byte{}
	}
	f.cache[name] = data
	return data, nil
}

// microsoftPragma is a line of its own with a pragma as only Microsoft's compiler knows it.
var microsoftPragma = regexp.MustCompile(
	`(?m)^[ \t]*__pragma[ \t]*\([ \t]*(pack[ \t]*\([^()]*\))[ \t]*\)[ \t\r]*$`)

// microsoftFiles shows headers as Microsoft's compiler takes them: a line that is a macro for a
// pragma is that pragma.
type microsoftFiles struct {
	*files
	pragmas map[string]string // by macro
}

var pragmaMacro = regexp.MustCompile(
	`(?m)^([ \t]*#[ \t]*define[ \t]+(\w+))[ \t]+__pragma[ \t]*\([ \t]*(pack[ \t]*\([^()]*\))[ \t]*\).*$`)

func (f *microsoftFiles) Open(name string) (fs.File, error) {
	data, err := f.read(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	for _, m := range pragmaMacro.FindAllStringSubmatch(string(data), -1) {
		f.pragmas[m[2]] = m[3]
	}
	text := pragmaMacro.ReplaceAllString(string(data), "$1")
	if len(f.pragmas) > 0 {
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			if pragma := f.pragmas[strings.TrimSpace(l)]; pragma != "" {
				lines[i] = "#pragma " + pragma
			}
		}
		text = strings.Join(lines, "\n")
	}
	return &openFile{name: path.Base(name), r: strings.NewReader(text)}, nil
}

// openFile is a file in memory.
type openFile struct {
	name string
	r    *strings.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return fileInfo{f.name, f.r.Size()}, nil }
func (f *openFile) Read(p []byte) (int, error) { return f.r.Read(p) }
func (f *openFile) Close() error               { return nil }

type fileInfo struct {
	name string
	size int64
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return 0o444 }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return false }
func (i fileInfo) Sys() any           { return nil }
