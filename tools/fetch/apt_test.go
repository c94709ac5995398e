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

const targets = `http://mirror.example/debian/ bookworm main
http://mirror.example/debian/ bookworm contrib
http://mirror.example/debian/ bookworm-updates main
http://mirror.example/security/ bookworm-security main
http://other.example/tool/ stable tool
http://rolling.example/debian/ stable main
http://mirror.example/debian/ bookworm main
`

// withTargets answers for the machine's own sources, and leaves the rest to another runner.
func withTargets(lines string, run Runner) Runner {
	return func(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
		if args[0] == "indextargets" {
			return []byte(lines), nil
		}
		return run(ctx, dir, name, args...)
	}
}

func TestArchives(t *testing.T) {
	t.Parallel()
	never := func(context.Context, string, string, ...string) ([]byte, error) { return nil, errExit }
	s := newFakeApt(t, never)
	addresses, err := s.archives(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"http://mirror.example/debian/", "http://rolling.example/debian/"},
		addresses, "the security archive has no other suites, other archives no main area")
	require.NoError(t, os.WriteFile(s.release, []byte("VERSION_CODENAME=\"bookworm\"\n"), 0o600))
	quoted, err := s.archives(t.Context())
	require.NoError(t, err)
	assert.Equal(t, addresses, quoted)

	require.NoError(t, os.Remove(s.release))
	addresses, err = s.archives(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"http://rolling.example/debian/"}, addresses)

	s.run = never
	_, err = s.archives(t.Context())
	assert.ErrorIs(t, err, errExit)
}

// newFakeApt has a machine's sources and an apt that answers from a function.
func newFakeApt(t *testing.T, run Runner) *aptSource {
	t.Helper()
	s := newAptSource(withTargets(targets, run), t.TempDir(),
		[]Pin{{Deb: "p", Suite: "sid"}, {Deb: "q", Suite: "trixie", Area: "non-free"},
			{Deb: "r", Suite: "sid"}}, func(string, ...any) {})
	s.release = filepath.Join(t.TempDir(), "os-release")
	require.NoError(t, os.WriteFile(s.release, []byte("NAME=x\nVERSION_CODENAME=bookworm\n"), 0o600))
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
	file, err := s.Fetch(t.Context(), Pin{Deb: "p", Release: "1.0-1", Suite: "sid"}, t.TempDir())
	require.NoError(t, err, "one suite that fails does not hide the others")
	assert.Equal(t, "p_1.0-1_amd64.deb", filepath.Base(file))

	_, err = s.Fetch(t.Context(), Pin{Deb: "p", Release: "2.0-1", Suite: "sid"}, t.TempDir())
	require.ErrorIs(t, err, ErrUnreachable)
	assert.ErrorContains(t, err, "was not found")
	assert.ErrorContains(t, err, "-update")
	assert.Equal(t, []string{"apt-get update", "apt-get p=1.0-1", "apt-get p=2.0-1"}, calls,
		"the indexes are read once")

	private := treeOf(t, s.dir)
	assert.Contains(t, private["parts/archive.sources"],
		"Types: deb\nURIs: http://mirror.example/debian/ http://rolling.example/debian/\n"+
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
		"not Debian": {func(_ *testing.T, s *aptSource) {
			s.run = withTargets("", never)
		}, "no Debian archive"},
		"other release": {func(_ *testing.T, s *aptSource) {
			s.run = withTargets("http://x/ noble main\n", never)
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

func TestUpstreamOf(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]string{"7.2.4-1~exp2": "7.2.4", "5.7.1-6+deb13u1": "5.7.1",
		"1:1.3.dfsg+really1.3.1-1+b1": "1.3.dfsg", "535.261.03-1": "535.261.03",
		"6.4.3+dfsg-5": "6.4.3"} {
		assert.Equal(t, want, upstreamOf(release))
	}
}
