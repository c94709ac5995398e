package dl

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
)

// mentions reports whether a file contains the name of one of the libraries, without the version. A
// file that can't be read counts as one that does.
func mentions(path string, names []string) bool {
	var stems [][]byte
	longest := 0
	for _, name := range names {
		stem, _, _ := strings.Cut(name, ".so")
		stems = append(stems, []byte(stem))
		longest = max(longest, len(stem))
	}
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	piece := make([]byte, 1<<16)
	kept := 0 // bytes of the previous piece, since a name may lie across two
	for {
		n, err := io.ReadFull(f, piece[kept:])
		for _, stem := range stems {
			if bytes.Contains(piece[:kept+n], stem) {
				return true
			}
		}
		if err != nil {
			return !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
		}
		kept = copy(piece, piece[len(piece)-longest:])
	}
}
