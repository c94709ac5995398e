package main

import (
	"archive/tar"
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// locate completes a rule that names no folder: it finds the one in the package that has the first
// of the wanted files that is there at all.
func (u *unpacker) locate(ctx context.Context, archive string, open debOpener) error {
	if len(u.rule.Find) == 0 {
		return nil
	}
	names, err := listPackage(ctx, archive, u.pin, open)
	if err != nil {
		return err
	}
	for _, wanted := range u.rule.Find {
		folders := foldersOf(names, wanted)
		if len(folders) == 0 {
			continue
		}
		depth := func(folder string) int { return strings.Count(folder, "/") }
		if len(folders) > 1 && depth(folders[0]) == depth(folders[1]) {
			return fmt.Errorf("%w: %s is in %s: add an unpack rule that says which", ErrWanted, wanted,
				strings.Join(folders, " and in "))
		}
		u.rule.From = folders[:1]
		return nil
	}
	return fmt.Errorf("%w: it has no %s: check the package's name, or what the specs say the file is "+
		"called", ErrWanted, strings.Join(u.rule.Find, ", "))
}

// foldersOf are the folders below which a file lies, those nearest to the package's root first.
func foldersOf(names []string, wanted string) []string {
	steps := strings.Count(wanted, "/") + 1
	var folders []string
	for _, name := range names {
		parts := strings.Split(name, "/")
		at := len(parts) - steps
		if at < 1 {
			continue
		}
		if ok, err := path.Match(wanted, strings.Join(parts[at:], "/")); !ok || err != nil {
			continue
		}
		folders = append(folders, strings.Join(parts[:at], "/"))
	}
	slices.SortFunc(folders, func(a, b string) int {
		if d := strings.Count(a, "/") - strings.Count(b, "/"); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(folders)
}

// listPackage names the regular files of a package.
func listPackage(ctx context.Context, archive string, pin Pin, open debOpener) ([]string, error) {
	var names []string
	if pin.Pip != "" {
		z, err := zip.OpenReader(archive)
		if errors.Is(err, zip.ErrInsecurePath) {
			z.Close()
			return nil, fmt.Errorf("%w: %w", ErrUnsafe, err)
		}
		if err != nil {
			return nil, err
		}
		defer z.Close()
		for _, f := range z.File {
			if f.Mode().IsRegular() {
				names = append(names, f.Name)
			}
		}
		return names, nil
	}
	stream, err := open(ctx, archive)
	if err != nil {
		return nil, err
	}
	for t := tar.NewReader(stream); ; {
		entry, err := t.Next()
		if err == io.EOF {
			_, err = io.Copy(io.Discard, stream) // the archiver's padding
			return names, errors.Join(err, stream.Close())
		}
		if err != nil {
			return nil, errors.Join(err, stream.Close())
		}
		if entry.Typeflag == tar.TypeReg {
			names = append(names, strings.TrimPrefix(entry.Name, "./"))
		}
	}
}
