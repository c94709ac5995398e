package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unpacked are the files of an archive, and which are programs.
func unpacked(t *testing.T, archive string) (files map[string][]byte, programs []string) {
	in, err := os.Open(archive)
	require.NoError(t, err)
	defer in.Close()
	zip, err := gzip.NewReader(in)
	require.NoError(t, err)
	files = map[string][]byte{}
	for r := tar.NewReader(zip); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, programs
		}
		require.NoError(t, err)
		data, err := io.ReadAll(r)
		require.NoError(t, err)
		files[h.Name] = data
		assert.Zero(t, h.Uid+h.Gid)
		assert.Empty(t, h.Uname+h.Gname)
		if h.Mode == 0o755 {
			programs = append(programs, h.Name)
		}
	}
}

func TestPack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kit := filepath.Join(dir, "kit")
	program := filepath.Join(kit, "bin", "x")
	require.NoError(t, os.MkdirAll(filepath.Dir(program), 0o755))
	require.NoError(t, os.WriteFile(program, []byte("ELF"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(kit, "README.txt"), []byte("read me"), 0o600))
	first, second := filepath.Join(dir, "1.tar.gz"), filepath.Join(dir, "2.tar.gz")
	require.NoError(t, pack(first, "kit", os.DirFS(kit)))
	require.NoError(t, os.Chtimes(program, time.Unix(1, 0), time.Unix(1, 0)))
	require.NoError(t, pack(second, "kit", os.DirFS(kit)))
	got, programs := unpacked(t, first)
	assert.Equal(t, map[string][]byte{"kit/bin/x": []byte("ELF"), "kit/README.txt": []byte("read me")},
		got)
	assert.Equal(t, []string{"kit/bin/x"}, programs)
	a, err := os.ReadFile(first)
	require.NoError(t, err)
	b, err := os.ReadFile(second)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(a, b), "the same files make the same archive")

	bad := filepath.Join(dir, "bad.tar.gz")
	assert.Error(t, pack(bad, "kit", os.DirFS(filepath.Join(dir, "absent"))))
	assert.NoFileExists(t, bad)
}

func TestChoose(t *testing.T) {
	t.Parallel()
	all, err := choose("")
	require.NoError(t, err)
	assert.Equal(t, []string{"linux/amd64", "linux/arm64"}, all)
	one, err := choose("linux/arm64")
	require.NoError(t, err)
	assert.Equal(t, []string{"linux/arm64"}, one)
	_, err = choose("windows/amd64")
	assert.ErrorContains(t, err, "windows/amd64")
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-h"}, 0, "target"},
		{[]string{"-nonsense"}, 2, "nonsense"},
		{[]string{"more"}, 2, "no flag"},
		{[]string{"-target", "x/y", "-out", t.TempDir()}, 1, "no kit for"},
	} {
		var out bytes.Buffer
		assert.Equal(t, x.code, command(t.Context(), x.args, &out, &out), "%q", x.args)
		assert.Contains(t, out.String(), x.want)
	}
}

// TestArchive builds the kit for this machine, or in the short form one program for another.
func TestArchive(t *testing.T) {
	t.Parallel()
	root, err := findRoot(t.Context())
	require.NoError(t, err)
	b := builder{root, "v1", programs[:0:0]}
	target, machine := "linux/arm64", elf.EM_AARCH64
	for _, p := range programs {
		if p.path == "bin/gpuinfo" || !testing.Short() {
			b.programs = append(b.programs, p)
		}
	}
	native := !testing.Short() && runtime.GOOS == "linux" && runtime.GOARCH == "amd64"
	if native {
		target, machine = "linux/amd64", elf.EM_X86_64
	}
	dir := t.TempDir()
	archive, err := b.archive(t.Context(), target, dir)
	require.NoError(t, err)
	name := "gpuevent-gpu-kit-v1-" + strings.ReplaceAll(target, "/", "-")
	assert.Equal(t, name+".tar.gz", filepath.Base(archive))
	files, programs := unpacked(t, archive)
	assert.Len(t, programs, len(b.programs))
	assert.Contains(t, string(files[name+"/README.txt"]), "gpuevent GPU kit v1 for "+target)
	assert.Contains(t, string(files[name+"/LICENSE"]), "Apache License")
	for _, p := range programs {
		f, err := elf.NewFile(bytes.NewReader(files[p]))
		require.NoError(t, err)
		assert.Equal(t, machine, f.Machine, p)
		assert.False(t, bytes.Contains(files[p], []byte(root)), "%s names the checkout", p)
	}
	if !native {
		return
	}
	require.NoError(t, exec.Command("tar", "xf", archive, "-C", dir).Run())
	out, err := exec.Command(filepath.Join(dir, name, "gpu-kit"), "-steps", "gpuinfo,devices",
		"-out", dir).CombinedOutput()
	assert.NoError(t, err, "%s", out)
	page, err := os.ReadFile(filepath.Join(dir, "gpu-kit.md"))
	require.NoError(t, err)
	assert.Contains(t, string(page), "Written by gpu-kit v1 on ")
}
