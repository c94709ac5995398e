package main

import (
	"archive/tar"
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// File is one unpacked file, by its path in the version folder.
type File struct {
	Path    string `json:"path"`
	Package string `json:"package"`
	SHA256  string `json:"sha256"`
}

// maxFile bounds what one archive entry may unpack to: the largest that we want has 130 MB.
const maxFile = 1 << 30

// unpacker writes the wanted files of one package into a version folder.
type unpacker struct {
	archive string
	pin     Pin
	rule    Rule
	root    *os.Root
	openDeb debOpener
	maxFile int64
	matched []string // patterns of the rule
	files   []File
}

// unpackPackage takes the wanted files out of a downloaded package.
func unpackPackage(ctx context.Context, archive string, pin Pin, rule Rule, root *os.Root,
	openDeb debOpener) ([]File, error) {
	u := &unpacker{archive: archive, pin: pin, rule: rule, root: root, openDeb: openDeb,
		maxFile: maxFile}
	err := u.locate(ctx)
	if err == nil {
		err = u.each(ctx, u.take)
	}
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", pin, err)
	}
	missing := slices.DeleteFunc(slices.Clone(rule.Files), func(pattern string) bool {
		return slices.Contains(u.matched, pattern)
	})
	if len(missing) > 0 {
		return nil, fmt.Errorf("unpack %s: %w: %s in %s: correct the unpack rule if the package has "+
			"moved it", pin, ErrWanted, strings.Join(missing, ", "), strings.Join(rule.From, ", "))
	}
	return u.files, nil
}

// visitor gets an entry of an archive, and the way to its content.
type visitor func(name string, mode fs.FileMode, open func() (io.ReadCloser, error)) error

// each visits all entries of the package: a wheel is a zip archive, and dpkg-deb makes a tar
// archive of a Debian package.
func (u *unpacker) each(ctx context.Context, visit visitor) error {
	if u.pin.Pip != "" {
		z, err := zip.OpenReader(u.archive)
		if err != nil {
			return err
		}
		defer z.Close()
		for _, f := range z.File {
			if err := visit(strings.TrimSuffix(f.Name, "/"), f.Mode(), f.Open); err != nil {
				return err
			}
		}
		return nil
	}
	stream, err := u.openDeb(ctx, u.archive)
	if err != nil {
		return err
	}
	return errors.Join(eachInTar(stream, visit), stream.Close())
}

func eachInTar(stream io.Reader, visit visitor) error {
	for t := tar.NewReader(stream); ; {
		entry, err := t.Next()
		if err == io.EOF {
			// What the archiver padded with has to be read too, or it complains of a broken pipe.
			_, err = io.Copy(io.Discard, stream)
			return err
		}
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(entry.Name, "./"), "/")
		open := func() (io.ReadCloser, error) { return io.NopCloser(t), nil }
		if name == "" {
			continue
		}
		if err := visit(name, entry.FileInfo().Mode(), open); err != nil {
			return err
		}
	}
}

// locate completes a rule that names no folder: it finds the one in the package that has the first
// of the wanted files that is there at all.
func (u *unpacker) locate(ctx context.Context) error {
	if len(u.rule.Find) == 0 {
		return nil
	}
	var names []string
	err := u.each(ctx, func(name string, mode fs.FileMode, _ func() (io.ReadCloser, error)) error {
		if mode.IsRegular() {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, wanted := range u.rule.Find {
		folders := foldersOf(names, wanted)
		if len(folders) == 0 {
			continue
		}
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
	var folders []string
	for _, name := range names {
		parts := strings.Split(name, "/")
		at := len(parts) - 1 - depth(wanted)
		if at < 1 {
			continue
		}
		if ok, err := path.Match(wanted, strings.Join(parts[at:], "/")); ok && err == nil {
			folders = append(folders, strings.Join(parts[:at], "/"))
		}
	}
	slices.Sort(folders)
	slices.SortStableFunc(folders, func(a, b string) int { return depth(a) - depth(b) })
	return slices.Compact(folders)
}

func depth(name string) int { return strings.Count(name, "/") }

// take unpacks an entry if the rule wants it.
func (u *unpacker) take(name string, mode fs.FileMode, open func() (io.ReadCloser, error)) error {
	if !fs.ValidPath(name) {
		return fmt.Errorf("%w: %q would leave its folder", ErrUnsafe, name)
	}
	for _, from := range u.rule.From {
		rest, ok := cutFolder(name, from)
		if !ok {
			continue
		}
		patterns := slices.DeleteFunc(slices.Concat(u.rule.Files, u.rule.Optional),
			func(pattern string) bool { return !matchFile(pattern, rest) })
		if len(patterns) == 0 {
			continue
		}
		if err := safeName(rest); err != nil {
			return err
		}
		switch {
		case mode.IsDir():
			return nil
		case mode&fs.ModeSymlink != 0 && u.pin.Deb != "":
			return nil // an old name of a folder, or a SONAME link: files are named by their SONAME anyway
		case !mode.IsRegular():
			return fmt.Errorf("%w: %q is no regular file", ErrUnsafe, name)
		}
		r, err := open()
		if err != nil {
			return err
		}
		defer r.Close()
		return u.write(path.Join(u.rule.To, rest), name, r, patterns)
	}
	return nil
}

// write puts one file into the version folder and notes the patterns that it matched.
func (u *unpacker) write(target, name string, r io.Reader, patterns []string) error {
	data, err := io.ReadAll(io.LimitReader(r, u.maxFile+1))
	if err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	if int64(len(data)) > u.maxFile {
		return fmt.Errorf("%w: %q is larger than %d bytes", ErrUnsafe, name, u.maxFile)
	}
	mode := fs.FileMode(0o644)
	if u.rule.Shared {
		soname, ok := sonameOf(data)
		if !ok {
			return nil // a plugin or a linker script
		}
		if err := safeName(soname); err != nil || path.Base(soname) != soname {
			return fmt.Errorf("%w: SONAME %q of %q", ErrUnsafe, soname, name)
		}
		target, mode = path.Join(u.rule.To, soname), 0o755
	}
	if slices.ContainsFunc(u.files, func(f File) bool { return f.Path == target }) {
		return fmt.Errorf("%w: %s comes twice", ErrUnsafe, target)
	}
	if err := u.root.MkdirAll(filepath.FromSlash(path.Dir(target)), 0o755); err != nil {
		return err
	}
	if err := u.root.WriteFile(filepath.FromSlash(target), data, mode); err != nil {
		return err
	}
	u.matched = append(u.matched, patterns...)
	sum := sha256.Sum256(data)
	u.files = append(u.files, File{Path: target, Package: u.pin.Name(),
		SHA256: hex.EncodeToString(sum[:])})
	return nil
}

// cutFolder removes the leading folders that match a pattern of as many steps.
func cutFolder(name, pattern string) (string, bool) {
	steps := depth(pattern) + 1
	parts := strings.Split(name, "/")
	if len(parts) <= steps {
		return "", false
	}
	ok, err := path.Match(pattern, strings.Join(parts[:steps], "/"))
	return strings.Join(parts[steps:], "/"), ok && err == nil
}

// matchFile matches a name, a pattern, or folder/**.
func matchFile(pattern, name string) bool {
	if folder, ok := strings.CutSuffix(pattern, "/**"); ok {
		return strings.HasPrefix(name, folder+"/")
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// safeName refuses what could leave the folder on any system.
func safeName(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, `\:`) ||
		!filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%w: %q would leave its folder", ErrUnsafe, name)
	}
	return nil
}
