package cache

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
)

// as makes this program one of another user: what to do in the folder that the variable at names.
const (
	as = "GPUEVENT_TEST_CACHE_AS"
	at = "GPUEVENT_TEST_CACHE_AT"
)

func init() {
	if os.Getenv(as) != "" {
		os.Exit(asOtherUser())
	}
}

const forged = "code of another user"

// forgedEntry is an entry under the key of a text, whose image another user chose.
func forgedEntry(text string) []byte {
	r := made(text)
	r.Image = []byte(forged)
	return encode(key(text), &r)
}

// asOtherUser attacks a cache, or compiles and prints what came of it.
func asOtherUser() int {
	dir := os.Getenv(at)
	syscall.Umask(0)
	err := error(nil)
	switch os.Getenv(as) {
	case "folder": // makes the folder before the victim does
		err = os.MkdirAll(dir, 0o755)
	case "open folder":
		err = os.MkdirAll(dir, 0o777)
	case "reason":
		c := Open("", 0)
		fmt.Println("reason:", c.Reason())
		return 0
	case "compile":
		c := Open(dir, 0)
		for range 2 {
			r, err := c.compile(context.Background(), pretended(nil), compiler.Request{Text: "x"})
			fmt.Printf("image: %s, %v\n", r.Image, err)
		}
		fmt.Printf("hits: %d\nreason: %v\nrefusal: %v\nagain: %v\n", c.Counters().Hits, c.Reason(),
			c.Refusal(), c.Refusal())
		return 0
	}
	if err == nil {
		path := filepath.Join(dir, key("x").String()+suffix)
		err = os.WriteFile(path, forgedEntry("x"), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

const attacker, victim = 65533, 65534

// needRoot skips where this process can't start others as other users.
func needRoot(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
}

// program copies this program to a folder where every user can start it.
func program(t *testing.T) (path, dir string) {
	t.Helper()
	dir = t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	require.NoError(t, os.Chmod(dir, 0o755))
	from, err := os.Open("/proc/self/exe")
	require.NoError(t, err)
	defer from.Close()
	path = filepath.Join(dir, "program")
	syscall.ForkLock.RLock() // what another test starts must not inherit a file that is written
	defer syscall.ForkLock.RUnlock()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(to, from)
	require.NoError(t, err)
	require.NoError(t, to.Chmod(0o755))
	require.NoError(t, to.Close())
	return path, dir
}

// run runs the copy as a user.
func run(t *testing.T, path string, user uint32, what, dir string) string {
	t.Helper()
	cmd := exec.Command(path)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), as+"="+what, at+"="+dir, "XDG_CACHE_HOME=/users/cache")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// One user makes a cache in which another one compiles. The code that runs must not be the
// attacker's.
func TestAnotherUsersFolder(t *testing.T) {
	t.Parallel()
	needRoot(t)
	path, dir := program(t)
	shared := filepath.Join(dir, "shared") // as /tmp
	require.NoError(t, os.Mkdir(shared, 0o700))
	require.NoError(t, os.Chmod(shared, 0o777|os.ModeSticky))
	for name, c := range map[string]struct{ refused, hits string }{
		"folder":      {"it belongs to user 65533, and this process runs as user 65534", "hits: 0"},
		"open folder": {"it belongs to user 65533", "hits: 0"},
	} {
		folder := filepath.Join(shared, name)
		run(t, path, attacker, name, folder)
		got := run(t, path, victim, "compile", folder)
		assert.NotContains(t, got, forged, name)
		assert.Equal(t, 2, strings.Count(got, "image: image of x, <nil>"), got)
		assert.Contains(t, got, c.hits)
		assert.Contains(t, got, "reason: kernel cache: the folder "+folder+" is not used: ")
		assert.Contains(t, got, "refusal: kernel cache: the folder "+folder+" is not used: ")
		assert.Contains(t, got, c.refused)
		assert.Contains(t, got, "again: <nil>")
	}

	// The victim's folder, which was open to all for some time.
	own := filepath.Join(shared, "own")
	require.NoError(t, os.Mkdir(own, 0o700))
	require.NoError(t, os.Chown(own, victim, victim))
	require.NoError(t, os.Chmod(own, 0o777))
	run(t, path, attacker, "entry", own)
	got := run(t, path, victim, "compile", own)
	assert.NotContains(t, got, forged)
	assert.Contains(t, got, "reason: kernel cache: the folder "+own+" is not used: another user "+
		"controls it: others may write to it (mode 0777)")
	require.NoError(t, os.Chmod(own, 0o755))
	got = run(t, path, victim, "compile", own)
	assert.NotContains(t, got, forged, "the entry that was left there")
	assert.Contains(t, got, "hits: 1", "the victim's own entry, which replaced it")
	assert.Contains(t, got, "reason: <nil>")
	assert.Contains(t, got, "refusal: kernel cache: the entry "+own)

	// What root provides is trusted.
	provided := filepath.Join(dir, "provided")
	require.NoError(t, os.Mkdir(provided, 0o755))
	entry := filepath.Join(provided, key("x").String()+suffix)
	require.NoError(t, os.WriteFile(entry, forgedEntry("x"), 0o644))
	got = run(t, path, victim, "compile", provided)
	assert.Contains(t, got, "hits: 2")
	assert.Contains(t, got, "refusal: <nil>")
}

// A user who may start a program with more rights must not choose its cache.
func TestMoreRightsHaveNoFolder(t *testing.T) {
	t.Parallel()
	needRoot(t)
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	if strings.Contains(string(status), "NoNewPrivs:\t1") {
		t.Skip("this process may start nothing with more rights")
	}
	path, dir := program(t)
	var fs syscall.Statfs_t
	require.NoError(t, syscall.Statfs(dir, &fs))
	if fs.Flags&2 != 0 {
		t.Skip("the folder for temporary files is mounted nosuid")
	}
	assert.Contains(t, run(t, path, victim, "reason", ""), "reason: <nil>")
	var capability []byte // of raw sockets, for a file
	for _, word := range []uint32{0x02000001, 1 << 13, 0, 0, 0} {
		capability = binary.LittleEndian.AppendUint32(capability, word)
	}
	require.NoError(t, syscall.Setxattr(path, "security.capability", capability, 0))
	assert.Contains(t, run(t, path, victim, "reason", ""), "reason: the process has more rights")
}
