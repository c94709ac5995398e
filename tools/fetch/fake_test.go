package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// entry is one archive member; a link has a target instead of text.
type entry struct {
	name, text, link string
}

func makeZip(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		header.SetMode(0o644)
		if e.link != "" {
			header.SetMode(os.ModeSymlink | 0o777)
			e.text = e.link
		}
		w, err := z.CreateHeader(header)
		require.NoError(t, err)
		_, err = io.WriteString(w, e.text)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

func makeTar(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.text)), Typeflag: tar.TypeReg}
		if e.link != "" {
			header.Typeflag, header.Linkname, header.Size = tar.TypeSymlink, e.link, 0
		}
		require.NoError(t, w.WriteHeader(header))
		_, err := io.WriteString(w, e.text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// tarDeb pretends that a package is a bare tar archive.
func tarDeb(_ context.Context, archive string) (io.ReadCloser, error) { return os.Open(archive) }

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// fakeIndex is a Source made of a map from "name release" to the file's bytes.
type fakeIndex struct {
	files   map[string][]byte
	fetches atomic.Int32
}

func (f *fakeIndex) Fetch(_ context.Context, pin Pin, dir string) (string, error) {
	f.fetches.Add(1)
	data, ok := f.files[pin.String()]
	if !ok {
		return "", unreachable(pin.String(), "the fake index has only "+
			filepath.Join(slices.Sorted(maps.Keys(f.files))...))
	}
	file := filepath.Join(dir, "package")
	return file, os.WriteFile(file, data, 0o600)
}

func (f *fakeIndex) Newer(context.Context, []Pin, int) ([]Pin, error) { return nil, nil }

// treeOf lists the files below a folder.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		tree[filepath.ToSlash(rel)] = string(text)
		return err
	}))
	return tree
}

// updatingIndex is a fake index that also knows of newer releases.
type updatingIndex struct {
	fakeIndex
	newer []Pin
}

func (u *updatingIndex) Newer(context.Context, []Pin, int) ([]Pin, error) { return u.newer, nil }
