package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const stanzas = `# a comment
Types: deb deb-src
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/archive.gpg

Types: deb
URIs: http://mirror.example/security
Suites: bookworm-security
Components: main

Types: deb
Enabled: no
URIs: http://off.example/debian
Suites: bookworm
Components: main

Types: deb-src
URIs: http://source.example/debian
Suites: bookworm
Components: main

Types: deb
URIs: http://inline.example/debian
Suites: stable
Components: main contrib
Signed-By:
 -----BEGIN KEY-----
 .
 abc
`

func TestParseSources(t *testing.T) {
	t.Parallel()
	entries := parseDeb822Sources(stanzas)
	require.Len(t, entries, 3, "what is off and what is source code stays out")
	kept := archiveEntries(entries, "bookworm")
	require.Len(t, kept, 2, "the security archive has no other suites")
	assert.Equal(t, "Types: deb\nURIs: http://mirror.example/debian\nSuites: trixie sid\n"+
		"Components: main non-free\nSigned-By: /usr/share/keyrings/archive.gpg\n\n",
		kept[0].stanza([]string{"trixie", "sid"}, []string{"main", "non-free"}))
	assert.Equal(t, "-----BEGIN KEY-----\n .\n abc", kept[1].SignedBy, "an inline key keeps its lines")

	list := parseListSources("deb-src http://a main main\n# deb http://b x main\n" +
		"deb [arch=amd64 signed-by=/k.gpg] http://c/debian bookworm main contrib # end\n" +
		"deb http://short x\ndeb [broken http://d bookworm main\n")
	require.Len(t, list, 1)
	assert.Equal(t, aptEntry{URIs: []string{"http://c/debian"}, Suites: []string{"bookworm"},
		Components: []string{"main", "contrib"}, SignedBy: "/k.gpg"}, list[0])
	assert.Equal(t, "bookworm", codenameOf("NAME=x\nVERSION_CODENAME=\"bookworm\"\n"))
	assert.Empty(t, codenameOf("NAME=x\n"))
}

// newFakeApt has a machine's configuration in a folder of its own and an apt that answers from a
// function.
func newFakeApt(t *testing.T, run Runner) *aptSource {
	t.Helper()
	etc := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(etc, "sources.list.d"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(etc, "sources.list.d", "debian.sources"),
		[]byte(stanzas), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(etc, "sources.list.d", "debian.sources.disabled"),
		[]byte("nonsense"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(etc, "os-release"),
		[]byte("VERSION_CODENAME=bookworm\n"), 0o600))
	s := newAptSource(run, t.TempDir(),
		[]Pin{{Deb: "p", Suite: "sid"}, {Deb: "q", Suite: "trixie", Area: "non-free"},
			{Deb: "r", Suite: "sid"}}, func(string, ...any) {})
	s.etc, s.release = etc, filepath.Join(etc, "os-release")
	s.lookPath = func(name string) (string, error) { return name, nil }
	return s
}

func TestAptFetch(t *testing.T) {
	t.Parallel()
	var calls []string
	s := newFakeApt(t, func(_ context.Context, dir, name string, args ...string) ([]byte, error) {
		calls = append(calls, name+" "+args[len(args)-1])
		switch args[len(args)-1] {
		case "update":
			return nil, &CommandError{Name: name, Stderr: "E: The repository 'experimental' is not there",
				Err: errExit}
		case "p=1.0-1":
			return nil, os.WriteFile(filepath.Join(dir, "p_1.0-1_amd64.deb"), []byte("deb"), 0o600)
		}
		return nil, &CommandError{Name: name, Stderr: "E: Version '2.0-1' for 'p' was not found\n",
			Err: errExit}
	})
	before := treeOf(t, s.etc)

	file, err := s.Fetch(t.Context(), Pin{Deb: "p", Release: "1.0-1", Suite: "sid"}, t.TempDir())
	require.NoError(t, err, "one suite that fails does not hide the others")
	assert.Equal(t, "p_1.0-1_amd64.deb", filepath.Base(file))

	_, err = s.Fetch(t.Context(), Pin{Deb: "p", Release: "2.0-1", Suite: "sid"}, t.TempDir())
	require.ErrorIs(t, err, ErrUnreachable)
	assert.ErrorContains(t, err, "was not found")
	assert.ErrorContains(t, err, "-update")
	assert.Equal(t, []string{"apt-get update", "apt-get p=1.0-1", "apt-get p=2.0-1"}, calls,
		"the indexes are read once")

	assert.Equal(t, before, treeOf(t, s.etc), "the machine's own configuration is never written")
	private := treeOf(t, s.dir)
	assert.Contains(t, private["parts/archive.sources"],
		"Suites: sid trixie\nComponents: main non-free\n")
	for _, line := range []string{"sourceparts", "Dir::State ", "Dir::Cache ", "Dir::State::status"} {
		assert.Contains(t, private["apt.conf"], line)
	}
	assert.NotContains(t, private["apt.conf"], "/etc/")
}

func TestNoApt(t *testing.T) {
	t.Parallel()
	never := func(context.Context, string, string, ...string) ([]byte, error) {
		return nil, errors.New("must not be called")
	}
	for name, tc := range map[string]struct {
		change func(*testing.T, *aptSource)
		says   string
	}{
		"no apt-get": {func(_ *testing.T, s *aptSource) {
			s.lookPath = func(string) (string, error) { return "", os.ErrNotExist }
		}, "no apt-get on this machine"},
		"not Debian": {func(t *testing.T, s *aptSource) {
			require.NoError(t, os.RemoveAll(filepath.Join(s.etc, "sources.list.d")))
		}, "no Debian archive"},
		"other release": {func(t *testing.T, s *aptSource) {
			require.NoError(t, os.WriteFile(filepath.Join(s.etc, "sources.list.d", "debian.sources"),
				[]byte("Types: deb\nURIs: http://x\nSuites: noble\nComponents: main\n"), 0o600))
		}, "no Debian archive"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newFakeApt(t, never)
			tc.change(t, s)
			for range 2 {
				_, err := s.Fetch(t.Context(), Pin{Deb: "p", Release: "1", Suite: "sid"}, t.TempDir())
				require.ErrorIs(t, err, ErrUnreachable)
				assert.ErrorContains(t, err, tc.says)
			}
			_, err := s.Newer(t.Context(), []Pin{{Deb: "p", Release: "1", Suite: "sid"}}, 2)
			require.ErrorIs(t, err, ErrUnreachable)
		})
	}
}

func TestAptNewer(t *testing.T) {
	t.Parallel()
	s := newFakeApt(t, func(_ context.Context, _, _ string, args ...string) ([]byte, error) {
		switch {
		case slices.Contains(args, "madison") && args[len(args)-1] == "p":
			return []byte(" p | 7.3.0-1~exp1 | http://mirror.example/debian experimental/main amd64 " +
				"Packages\n p |  6.4.3-5 | http://mirror.example/debian sid/main amd64 Packages\n"), nil
		case slices.Contains(args, "show"):
			return []byte("Package: p\nSHA256: " + goodSum + "\n"), nil
		}
		return nil, nil
	})
	found, err := s.Newer(t.Context(),
		[]Pin{{Version: "7.2.4", Deb: "p", Release: "7.2.4-1~exp2", Suite: "experimental"},
			{Version: "6.4.3", Deb: "p", Release: "6.4.3-5", Suite: "sid"},
			{Version: "base", Deb: "p", Release: "1.0-1", Suite: "sid"},
			{Version: "1", Deb: "gone", Release: "1", Suite: "sid"},
			{Deb: "gone", Suite: "sid"}, {Deb: "p", Suite: "trixie"}, {Deb: "p", Suite: "sid"}}, 2)
	assert.Equal(t, []Pin{{Version: "7.3.0", Deb: "p", Release: "7.3.0-1~exp1", Suite: "experimental",
		SHA256: goodSum}, {Version: "base", Deb: "p", Release: "6.4.3-5", Suite: "sid", SHA256: goodSum},
		{Version: "6.4.3", Deb: "p", Release: "6.4.3-5", Suite: "sid", SHA256: goodSum}}, found,
		"a package without a pin is taken from the suites that have it")
	assert.Len(t, strings.Split(err.Error(), "\n"), 1)
	assert.ErrorContains(t, err, "gone is unreachable: sid does not have it (any more)")
}

func TestToolchains(t *testing.T) {
	t.Parallel()
	wanted := []Toolchain{{Package: "here", Command: "here"},
		{Package: "file", Command: "absent", File: "/f"}, {Package: "lacking", Command: "lacking"}}
	for name, tc := range map[string]struct {
		root, apt, works bool
		missing          []string
		says             string
		installs         bool
	}{
		"root with apt": {true, true, true, nil, "all are here now", true},
		"root, apt fails": {true, true, false, []string{"lacking"}, "Unable to locate package",
			true},
		"not root": {false, true, true, []string{"lacking"},
			"not root: run as root, or: apt-get install --no-install-recommends lacking", false},
		"no apt":               {true, false, true, []string{"lacking"}, "no apt-get", false},
		"neither root nor apt": {false, false, true, []string{"lacking"}, "skipped lacking", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			installed, ran := false, false
			i := &installer{root: tc.root, out: &out, exists: func(name string) bool { return name == "/f" },
				lookPath: func(name string) (string, error) {
					if name == "here" || (name == "apt-get" && tc.apt) || (name == "lacking" && installed) {
						return name, nil
					}
					return "", os.ErrNotExist
				},
				run: func(_ context.Context, _, name string, args ...string) ([]byte, error) {
					ran = true
					if slices.Contains(args, "install") {
						assert.NotContains(t, args, "here", "only what is missing is installed")
						if !tc.works {
							return nil, &CommandError{Name: name, Stderr: "E: Unable to locate package lacking",
								Err: errExit}
						}
						installed = true
					}
					return nil, nil
				}}
			assert.Equal(t, tc.missing, i.install(t.Context(), wanted))
			assert.Contains(t, out.String(), "2 of 3 are here")
			assert.Contains(t, out.String(), tc.says)
			assert.Equal(t, tc.installs, ran)
		})
	}
}
