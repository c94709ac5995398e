package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var errExit = errors.New("exit status 1")

func fakePip(answer func(dir string, args []string) ([]byte, error)) *pipSource {
	s := newPipSource(func(_ context.Context, dir, _ string, args ...string) ([]byte, error) {
		if slices.Contains(args, "--version") {
			return []byte("pip 23"), nil
		}
		return answer(dir, args)
	})
	s.lookPath = func(name string) (string, error) { return name, nil }
	return s
}

func TestPipFetch(t *testing.T) {
	t.Parallel()
	var got []string
	var requirement string
	s := fakePip(func(dir string, args []string) ([]byte, error) {
		got = args
		text, err := os.ReadFile(args[slices.Index(args, "--requirement")+1])
		require.NoError(t, err)
		requirement = string(text)
		return nil, os.WriteFile(filepath.Join(dir, "p-1.0-py3-none-any.whl"), []byte("wheel"), 0o600)
	})
	dir := t.TempDir()
	file, err := s.Fetch(t.Context(), Pin{Pip: "p", Release: "1.0", SHA256: goodSum}, dir)
	require.NoError(t, err)
	assert.Equal(t, "p==1.0 --hash=sha256:"+goodSum+"\n", requirement,
		"the checksum chooses among several wheels")
	assert.Equal(t, dir, filepath.Dir(file))
	for _, want := range []string{"download", "--no-deps", "--only-binary=:all:",
		"manylinux2014_x86_64"} {
		assert.Contains(t, got, want)
	}
	assert.Less(t, slices.Index(got, "manylinux_2_17_x86_64"),
		slices.Index(got, "manylinux2014_x86_64"), "the order decides which wheel is taken")
}

func TestPipHasOtherWheel(t *testing.T) {
	t.Parallel()
	s := fakePip(func(dir string, args []string) ([]byte, error) {
		text, err := os.ReadFile(args[slices.Index(args, "--requirement")+1])
		require.NoError(t, err)
		if strings.Contains(string(text), "--hash") {
			return nil, &CommandError{Name: "python3",
				Stderr: "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.",
				Err:    errExit}
		}
		return nil, os.WriteFile(filepath.Join(dir, "p.whl"), []byte("other"), 0o600)
	})
	store := &Store{dir: t.TempDir(), pip: s}
	_, _, err := store.Get(t.Context(), Pin{Pip: "p", Release: "1.0", SHA256: goodSum})
	require.ErrorIs(t, err, ErrMismatch, "a changed wheel is a mismatch, not an unreachable package")
	assert.ErrorContains(t, err, "expected sha256 "+goodSum)
	assert.ErrorContains(t, err, "got "+sumOf([]byte("other")))
}

func TestPipUnreachable(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		stderr string
		down   bool
		calls  int32
	}{
		"no such release": {"ERROR: Could not find a version\nERROR: No matching distribution found " +
			"for p==1.0\n", false, 2},
		"index down": {"WARNING: Retrying after connection broken by 'NewConnectionError'\n" +
			"ERROR: No matching distribution found for p==1.0\n", true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			s := fakePip(func(string, []string) ([]byte, error) {
				calls.Add(1)
				return nil, &CommandError{Name: "python3", Stderr: tc.stderr, Err: errExit}
			})
			for _, release := range []string{"1.0", "2.0"} {
				_, err := s.Fetch(t.Context(), Pin{Pip: "p", Release: release}, t.TempDir())
				require.ErrorIs(t, err, ErrUnreachable)
				assert.ErrorContains(t, err, "p "+release+" is unreachable")
				assert.Equal(t, tc.down, strings.Contains(err.Error(), "did not answer"), err)
			}
			assert.Equal(t, tc.calls, calls.Load(), "an index that is down isn't asked again")
		})
	}
}

func TestNoPip(t *testing.T) {
	t.Parallel()
	s := newPipSource(func(context.Context, string, string, ...string) ([]byte, error) {
		return nil, &CommandError{Name: "python3", Stderr: "No module named pip", Err: errExit}
	})
	s.lookPath = func(name string) (string, error) {
		if name == "python3" {
			return name, nil
		}
		return "", os.ErrNotExist
	}
	_, err := s.Fetch(t.Context(), Pin{Pip: "p", Release: "1"}, t.TempDir())
	require.ErrorIs(t, err, ErrUnreachable)
	assert.ErrorContains(t, err, "No module named pip")
	assert.ErrorContains(t, err, "pip3 is not there")
	assert.ErrorContains(t, err, "install python3-pip")
}

func TestPipLeavesNothing(t *testing.T) {
	t.Parallel()
	s := fakePip(func(string, []string) ([]byte, error) { return nil, nil })
	_, err := s.Fetch(t.Context(), Pin{Pip: "p", Release: "1"}, t.TempDir())
	require.ErrorIs(t, err, ErrUnreachable)
	assert.ErrorContains(t, err, "left no .whl file")
}

func TestPipNewer(t *testing.T) {
	t.Parallel()
	s := fakePip(func(_ string, args []string) ([]byte, error) {
		if slices.Contains(args, "gone") {
			return nil, &CommandError{Name: "python3",
				Stderr: "ERROR: No matching distribution found for gone", Err: errExit}
		}
		return []byte("p (13.10.2)\nAvailable versions: 13.10.2, 13.9.4, 13.9.3, 13.10.1, 12.0.1, " +
			"11.7.5\n  INSTALLED: none\n"), nil
	})
	found, err := s.Newer(t.Context(),
		[]Pin{{Version: "12.0", Pip: "p", Release: "12.0.1"},
			{Version: "13.9", Pip: "p", Release: "13.9.3"}, {Version: "1", Pip: "gone", Release: "1"},
			{Pip: "new"}, {Version: "2.0", Pip: "other", Release: "1.5"}}, 2)
	require.ErrorIs(t, err, ErrUnreachable)
	assert.ErrorContains(t, err, "gone")
	var releases []string
	for _, p := range found {
		releases = append(releases, p.Pip+" "+p.Version+" "+p.Release)
	}
	assert.Equal(t, []string{"p 13.9 13.9.4", "p 13.10 13.10.2", "new 11.7 11.7.5",
		"new 12.0 12.0.1", "new 13.9 13.9.4", "new 13.10 13.10.2"}, releases, "newest patches only, "+
		"nothing that is pinned, nothing older than the oldest pin, nothing of a package whose "+
		"releases are not those of the headers; and all that is there of one without a pin")
}

func TestLastLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              "",
		"WARNING: old\nERROR: broken":   "broken",
		"W: a\nE: Unable to locate\n":   "Unable to locate",
		"Traceback:\n  x\nValueError\n": "ValueError",
		strings.Repeat("W: only\n", 3):  "",
	} {
		assert.Equal(t, want, lastLine(text))
	}
}
