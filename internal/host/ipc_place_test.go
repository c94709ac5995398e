//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const nobody = 65534

// folderName is the user's folder without a suffix.
func folderName() string { return "gpuevent-" + strconv.Itoa(os.Geteuid()) }

// roots are two folders as safe as those of the system.
func roots(t *testing.T) []string {
	t.Helper()
	first, second := t.TempDir(), t.TempDir()
	for _, root := range []string{first, second} {
		require.NoError(t, os.Chmod(root, 0o777|os.ModeSticky))
	}
	return []string{first, second}
}

func TestPlaceIsPrivate(t *testing.T) {
	t.Parallel()
	mkdir := func(mode os.FileMode) func(string) error {
		return func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, mode)) }
	}
	file := func(dir string) error { return os.WriteFile(dir, nil, 0o600) }
	link := func(dir string) error { return os.Symlink(os.TempDir(), dir) }
	others := func(dir string) error {
		return errors.Join(mkdir(0o700)(dir), os.Chown(dir, nobody, nobody))
	}
	for name, tt := range map[string]struct {
		prepare  func(dir string) error
		taken    bool
		needRoot bool
	}{
		"absent":           {prepare: func(string) error { return nil }},
		"ours":             {prepare: mkdir(0o700)},
		"open to a group":  {prepare: mkdir(0o770), taken: true},
		"open to be read":  {prepare: mkdir(0o744), taken: true},
		"file":             {prepare: file, taken: true},
		"symbolic link":    {prepare: link, taken: true},
		"of somebody else": {others, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.needRoot && os.Geteuid() != 0 {
				t.Skip("only the superuser can make folders of others")
			}
			roots := roots(t)
			plain := filepath.Join(roots[0], folderName())
			require.NoError(t, tt.prepare(plain))
			p, dir, err := findPlace(roots)
			require.NoError(t, err)
			again, _, err := findPlace(roots)
			require.NoError(t, err)
			assert.Equal(t, p, again, "the next process comes to the same")
			there, ok := p.folder(roots)
			assert.True(t, ok)
			assert.Equal(t, dir, there, "and the importer as well")
			assert.NoError(t, checkPrivate(dir))
			assert.Equal(t, tt.taken, p.suffix != 0)
			assert.Equal(t, !tt.taken, plain == dir)
			assert.Equal(t, roots[0], filepath.Dir(dir))
		})
	}
}

func TestPlaceNeedsASafeRoot(t *testing.T) {
	t.Parallel()
	roots := roots(t)
	require.NoError(t, os.Chmod(roots[0], 0o777))
	p, dir, err := findPlace(roots)
	require.NoError(t, err)
	assert.Equal(t, place{root: 1}, p)
	assert.Equal(t, filepath.Join(roots[1], folderName()), dir)

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	absent := filepath.Join(t.TempDir(), "absent")
	_, _, err = findPlace([]string{roots[0], absent, file})
	require.ErrorIs(t, err, ErrIPCFolder)
	assert.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "let user "+strconv.Itoa(os.Geteuid())+" make one in")
	for _, root := range []string{roots[0], absent, file} {
		assert.ErrorContains(t, err, root)
	}
}

// An importer does not trust a folder more than an exporter does.
func TestImportRefusesAFolderOfOthers(t *testing.T) {
	t.Parallel()
	p := &ipcProcess{roots: roots(t)}
	open := filepath.Join(p.roots[0], folderName())
	require.NoError(t, os.Mkdir(open, 0o700))
	require.NoError(t, os.Chmod(open, 0o777))
	_, err := p.find(location{arena: arenaID{1}})
	assert.ErrorIs(t, err, ErrIPCFolder)
	_, err = p.find(location{arena: arenaID{1}, place: place{root: 1}})
	assert.ErrorIs(t, err, ErrIPCGone)
}

func TestIPCWhereTheFolderIsTaken(t *testing.T) {
	t.Parallel()
	root := roots(t)[0]
	require.NoError(t, os.WriteFile(filepath.Join(root, folderName()), nil, 0o600))
	exporter, importer := startPeer(t, peerRoot+root), startPeer(t, peerRoot+root)
	d := exporter.tell("export")
	raw, err := hex.DecodeString(d)
	require.NoError(t, err)
	require.NotZero(t, Descriptor(raw).location().place.suffix)
	require.Equal(t, "ok", importer.tell("import "+d))
	require.Equal(t, "ok", importer.tell("record"))
	assert.Equal(t, "Done 1", exporter.tell("state"))
}

// Whoever is attached stays so, whatever happens to the folder, and nobody reads as dead.
func TestIPCFolderRemoved(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(string) error{
		"removed": os.RemoveAll,
		"moved":   func(dir string) error { return os.Rename(dir, dir+"-moved") },
		"emptied": func(dir string) error {
			files, err := filepath.Glob(filepath.Join(dir, "*"))
			for _, file := range files {
				err = errors.Join(err, os.Remove(file))
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := roots(t)[0]
			exporter, importer := startPeer(t, peerRoot+root), startPeer(t, peerRoot+root)
			first := exporter.tell("export")
			require.Equal(t, "ok", importer.tell("import "+first))
			for _, p := range []*peer{exporter, importer} {
				require.Equal(t, "ok", p.tell("gate"))
			}
			require.Equal(t, "ok", exporter.tell("record"))
			require.NoError(t, remove(filepath.Join(root, folderName())))
			time.Sleep(2 * aliveFor) // so that it is looked at again
			require.Equal(t, "Pending 1", importer.tell("state"))
			require.Equal(t, "ok", exporter.tell("open"))
			require.Equal(t, "Done 1", importer.tell("state"))
			require.Equal(t, "ok", importer.tell("record"))
			time.Sleep(2 * aliveFor)
			require.Equal(t, "Pending 2", exporter.tell("state"))

			late := startPeer(t, peerRoot+root)
			assert.Contains(t, late.tell("import "+first), ErrIPCGone.Error())
			second := exporter.tell("export") // new events can be found again
			require.Equal(t, "ok", late.tell("import "+second))
			require.Equal(t, "Unrecorded 0", late.tell("state"))

			again := exporter.tell("export")
			require.Equal(t, "ok", importer.tell("import "+again))
			require.Equal(t, "ok", exporter.tell("gate"))
			require.Equal(t, "ok", exporter.tell("record"))
			exporter.kill()
			assert.Equal(t, "error "+ErrPeerDied.Error(), importer.tell("event"))
		})
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := &ipcProcess{}
	write := func(id byte, content []byte) string {
		path := arenaPath(dir, arenaID{id})
		require.NoError(t, os.WriteFile(path, content, 0o600))
		return path
	}
	ready := []byte{arenaMagic: 1, 99: 0}
	dead, young, old := write(1, ready), write(2, nil), write(3, make([]byte, 100))
	require.NoError(t, os.Chtimes(old, time.Time{}, time.Now().Add(-time.Hour)))
	mine := write(4, ready)
	p.open = map[arenaID]*mapping{{4}: {}}
	folder := arenaPath(dir, arenaID{5})
	require.NoError(t, os.Mkdir(folder, 0o700))
	foreign := filepath.Join(dir, "a-note")
	require.NoError(t, os.WriteFile(foreign, ready, 0o600))
	link := arenaPath(dir, arenaID{6})
	require.NoError(t, os.Symlink(foreign, link))
	p.sweep(dir)
	for path, kept := range map[string]bool{
		dead: false, young: true, old: false, mine: true, folder: true, foreign: true, link: true,
	} {
		_, err := os.Lstat(path)
		assert.Equal(t, kept, err == nil, filepath.Base(path))
	}
	p.sweep(filepath.Join(dir, "absent"))
}
