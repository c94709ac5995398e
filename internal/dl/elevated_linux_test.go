package dl_test

import (
	"encoding/binary"
	"errors"
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

	"github.com/gpuevent/gpuevent/internal/dl"
)

// searcher makes this program search for a library and say what came of it.
const searcher = "GPUEVENT_TEST_SEARCHER"

func TestMain(m *testing.M) {
	if os.Getenv(searcher) == "" {
		os.Exit(m.Run())
	}
	var e *dl.LibraryError
	errors.As(library("/nowhere/candidate.so").Load(), &e)
	fmt.Println("source:", e.Source)
	for _, a := range e.Attempts {
		fmt.Println(a)
	}
	rocm := dl.Library{Search: dl.Search{Linux: dl.Places{
		Folders: []string{"${ROCM_PATH}/lib", "{wheels}/rocm"},
		Names:   []string{"librocm.so"},
	}}}
	fmt.Println(strings.Join(rocm.Candidates(), "\n"))
}

// ownProgram copies this program to where every user can start it.
func ownProgram(t *testing.T) string {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	if strings.Contains(string(status), "NoNewPrivs:\t1") {
		t.Skip("this process may start nothing with more rights")
	}
	dir := t.TempDir()
	var fs syscall.Statfs_t
	require.NoError(t, syscall.Statfs(dir, &fs))
	if fs.Flags&2 != 0 {
		t.Skip("the folder for temporary files is mounted nosuid")
	}
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	from, err := os.Open("/proc/self/exe")
	require.NoError(t, err)
	defer from.Close()
	path := filepath.Join(dir, "program")
	syscall.ForkLock.RLock() // what another test starts must not inherit a file that is written
	defer syscall.ForkLock.RUnlock()
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(to, from)
	require.NoError(t, err)
	require.NoError(t, to.Close())
	return path
}

// search starts the copy.
func search(t *testing.T, path string, credential *syscall.Credential) string {
	t.Helper()
	cmd := exec.Command(path)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), searcher+"=1", "GPUEVENT_TEST_LIBRARY=/users/own.so",
		"GPUEVENT_TEST_FOLDER=/users/folder", "ROCM_PATH=/users/rocm",
		"VIRTUAL_ENV=/users/venv")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulated program can't start another one here:", err)
	}
	require.NoError(t, err, string(out))
	return string(out)
}

// capability is the extended attribute of a file that may open raw sockets.
func capability() []byte {
	var b []byte
	for _, word := range []uint32{0x02000001, 1 << 13, 0, 0, 0} {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	return b
}

// A user who may start a program with the rights of another must not choose the code that it runs.
func TestVariablesAreIgnoredWithMoreRights(t *testing.T) {
	t.Parallel()
	const nobody = 65534
	needRoot := func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("only root can give a file to another user or give it capabilities")
		}
	}
	for name, prepare := range map[string]func(t *testing.T, path string) *syscall.Credential{
		"setuid": func(t *testing.T, path string) *syscall.Credential {
			needRoot(t)
			require.NoError(t, os.Chown(path, nobody, -1))
			require.NoError(t, os.Chmod(path, 0o755|os.ModeSetuid))
			return nil
		},
		"setgid": func(t *testing.T, path string) *syscall.Credential {
			needRoot(t)
			require.NoError(t, os.Chown(path, -1, nobody))
			require.NoError(t, os.Chmod(path, 0o755|os.ModeSetgid))
			return nil
		},
		"capabilities": func(t *testing.T, path string) *syscall.Credential {
			needRoot(t)
			require.NoError(t, syscall.Setxattr(path, "security.capability", capability(), 0))
			return &syscall.Credential{Uid: nobody, Gid: nobody}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := ownProgram(t)
			got := search(t, path, prepare(t, path))
			const why = ": the variable is ignored, because the program runs with more rights than the " +
				"user who started it " +
				"(setuid, setgid or file capabilities)\n"
			assert.Contains(t, got,
				"source: \nGPUEVENT_TEST_LIBRARY"+why+"GPUEVENT_TEST_FOLDER"+why+"/nowhere/candidate.so: ")
			assert.NotContains(t, got, "/users/")
		})
	}
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		got := search(t, ownProgram(t), nil)
		assert.Contains(t, got, "source: GPUEVENT_TEST_LIBRARY\n/users/own.so: ")
		assert.Contains(t, got, "/users/rocm/lib/librocm.so\n")
		assert.Contains(t, got, "/users/venv/lib/python3*/site-packages/rocm/librocm.so\n")
		assert.NotContains(t, got, "ignored")
	})
}
