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
	pin     Pin
	rule    Rule
	root    *os.Root
	maxFile int64
	matched map[string]bool
	files   []File
}

// unpackPackage takes the wanted files out of a downloaded package.
func unpackPackage(ctx context.Context, archive string, pin Pin, rule Rule, root *os.Root,
	openDeb debOpener) ([]File, error) {
	u := &unpacker{pin: pin, rule: rule, root: root, maxFile: maxFile, matched: map[string]bool{}}
	err := u.locate(ctx, archive, openDeb)
	switch {
	case err != nil:
	case pin.Pip != "":
		err = u.wheel(archive)
	default:
		err = u.deb(ctx, archive, openDeb)
	}
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", pin, err)
	}
	var missing []string
	for _, pattern := range rule.Files {
		if !u.matched[pattern] {
			missing = append(missing, pattern)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("unpack %s: %w: %s in %s: correct the unpack rule if the package has "+
			"moved it", pin, ErrWanted,
			strings.Join(missing, ", "), strings.Join(rule.From, ", "))
	}
	return u.files, nil
}

// wheel reads a Python wheel, which is a zip archive.
func (u *unpacker) wheel(archive string) error {
	z, err := zip.OpenReader(archive)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	if err != nil {
		z.Close()
		return fmt.Errorf("%w: %w", ErrUnsafe, err)
	}
	defer z.Close()
	for _, entry := range z.File {
		name := strings.TrimSuffix(entry.Name, "/")
		target, err := u.target(name)
		if err != nil {
			return err
		}
		if target == "" || entry.FileInfo().IsDir() {
			continue
		}
		if !entry.Mode().IsRegular() {
			return fmt.Errorf("%w: %q is no regular file", ErrUnsafe, entry.Name)
		}
		r, err := entry.Open()
		if err != nil {
			return err
		}
		err = u.write(target, name, r)
		r.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// deb reads a Debian package through dpkg-deb, which knows its compressions.
func (u *unpacker) deb(ctx context.Context, archive string, open debOpener) error {
	stream, err := open(ctx, archive)
	if err != nil {
		return err
	}
	if err := u.tar(stream); err != nil {
		stream.Close()
		return err
	}
	return stream.Close()
}

func (u *unpacker) tar(stream io.Reader) error {
	t := tar.NewReader(stream)
	for {
		entry, err := t.Next()
		if err == io.EOF {
			// What the archiver padded with has to be read too, or it complains of a broken pipe.
			_, err = io.Copy(io.Discard, stream)
			return err
		}
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(entry.Name, "./"), "/")
		if name == "" || name == "." {
			continue
		}
		target, err := u.target(name)
		if err != nil {
			return err
		}
		if target == "" || entry.Typeflag == tar.TypeDir {
			continue
		}
		if entry.Typeflag == tar.TypeSymlink {
			continue // an old name of a folder, or a SONAME link: files are named by their SONAME anyway
		}
		if entry.Typeflag != tar.TypeReg {
			return fmt.Errorf("%w: %q is no regular file", ErrUnsafe, entry.Name)
		}
		if err := u.write(target, name, t); err != nil {
			return err
		}
	}
}

// target says where a file goes, empty if it isn't wanted.
func (u *unpacker) target(name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", fmt.Errorf("%w: %q would leave its folder", ErrUnsafe, name)
	}
	for _, from := range u.rule.From {
		rest, ok := cutFolder(name, from)
		if !ok || !u.wants(rest, false) {
			continue
		}
		if err := safeName(rest); err != nil {
			return "", err
		}
		return path.Join(u.rule.To, rest), nil
	}
	return "", nil
}

// wants matches a name against the rule's patterns and, if mark is set, notes which were met.
func (u *unpacker) wants(rest string, mark bool) bool {
	wanted := false
	for _, pattern := range slices.Concat(u.rule.Files, u.rule.Optional) {
		if matchFile(pattern, rest) {
			wanted = true
			if mark {
				u.matched[pattern] = true
			}
		}
	}
	return wanted
}

// write puts one file into the version folder.
func (u *unpacker) write(target, name string, r io.Reader) error {
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
	for _, from := range u.rule.From {
		if rest, ok := cutFolder(name, from); ok {
			u.wants(rest, true)
		}
	}
	sum := sha256.Sum256(data)
	u.files = append(u.files, File{Path: target, Package: u.pin.Name(),
		SHA256: hex.EncodeToString(sum[:])})
	return nil
}

// cutFolder removes the leading folders that match a pattern of as many steps.
func cutFolder(name, pattern string) (string, bool) {
	steps := strings.Count(pattern, "/") + 1
	parts := strings.Split(name, "/")
	if len(parts) <= steps {
		return "", false
	}
	if ok, err := path.Match(pattern, strings.Join(parts[:steps], "/")); !ok || err != nil {
		return "", false
	}
	return strings.Join(parts[steps:], "/"), true
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
