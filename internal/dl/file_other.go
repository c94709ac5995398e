//go:build !linux

package dl

import (
	"errors"
	"io/fs"
	"os"
)

// kindOf returns what is at a path, at the end of links; "" for a file.
func kindOf(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
			err = pathErr.Err // without the path
		}
		return "", err
	}
	switch m := info.Mode(); {
	case m.IsRegular():
		return "", nil
	case m.IsDir():
		return "folder", nil
	case m&fs.ModeNamedPipe != 0:
		return "FIFO", nil
	case m&fs.ModeSocket != 0:
		return "socket", nil
	case m&fs.ModeDevice != 0:
		return "device", nil
	}
	return "special file", nil
}

// namesIn returns the names in a folder, in any order.
func namesIn(folder string) ([]string, error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}
