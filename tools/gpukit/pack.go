package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"time"
)

// file is one in an archive: a text, or a file's content.
type file struct {
	name    string
	from    string // "" for a text
	text    string
	program bool
}

// pack writes files into a folder of an archive, which depends on nothing but them.
func pack(archive, folder string, files []file) (err error) {
	out, err := os.Create(archive)
	if err != nil {
		return err
	}
	zip, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(zip)
	for _, f := range files {
		err = errors.Join(err, f.write(t, folder))
	}
	err = errors.Join(err, t.Close(), zip.Close(), out.Close())
	if err != nil {
		return errors.Join(err, os.Remove(archive))
	}
	return nil
}

func (f file) write(t *tar.Writer, folder string) error {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: path.Join(folder, f.name), Mode: 0o644,
		Size: int64(len(f.text)), ModTime: time.Unix(0, 0), Format: tar.FormatPAX}
	if f.program {
		header.Mode = 0o755
	}
	if f.from == "" {
		if err := t.WriteHeader(header); err != nil {
			return err
		}
		_, err := io.WriteString(t, f.text)
		return err
	}
	in, err := os.Open(f.from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	header.Size = info.Size()
	if err := t.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(t, in)
	return err
}
