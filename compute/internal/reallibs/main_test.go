package reallibs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/internal/testing/reallibs"
)

// The variables that tell a process of this program which library it has, and what to do with it.
const (
	inside  = "COMPUTE_TEST_INSIDE"  // what to do: a name in tasks
	api     = "COMPUTE_TEST_API"     // "nvrtc" or "hiprtc"
	release = "COMPUTE_TEST_RELEASE" // of the library: "12.9"
	folder  = "COMPUTE_TEST_FOLDER"  // of the cache
	report  = "COMPUTE_TEST_REPORT"  // the file for what the process found out
)

// tasks run in a process of their own, in which the library serves.
var tasks = map[string]func(*testing.T){}

func TestMain(m *testing.M) {
	task := os.Getenv(inside)
	if task == "" {
		code := m.Run()
		if plain != "" {
			_ = os.RemoveAll(filepath.Dir(plain))
		}
		os.Exit(code)
	}
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: task, F: tasks[task]}}, nil, nil)
}

// compilers are the libraries that were fetched. The test is skipped where there are none.
func compilers(t *testing.T) (list []*reallibs.Library) {
	root, err := fake.Root()
	require.NoError(t, err)
	m, err := reallibs.Read(filepath.Join(root, ".reallibs"))
	if errors.Is(err, reallibs.ErrAbsent) {
		t.Skip(err)
	}
	require.NoError(t, err)
	if err := m.Fits(); err != nil {
		t.Skip(err)
	}
	for i := range m.Libraries {
		l := &m.Libraries[i]
		if l.API != "nvrtc" && l.API != "hiprtc" {
			continue
		}
		if !l.Loadable {
			t.Logf("%s %s is not tried: %s", l.API, l.Version, l.Reason)
			continue
		}
		list = append(list, l)
	}
	if len(list) == 0 {
		t.Skip("no compiler is among the real libraries")
	}
	return list
}

// plain is this program without cgo, once it was built. Tests that need it are not parallel.
var plain string

func program(t *testing.T, l *reallibs.Library) string {
	if l.Loader == "" {
		self, err := os.Executable()
		require.NoError(t, err)
		return self
	}
	if plain == "" {
		dir, err := os.MkdirTemp("", "reallibs")
		require.NoError(t, err)
		plain, err = reallibs.BuildPlain(dir)
		require.NoError(t, err)
	}
	return plain
}

// run does a task in a process with the library, and reads what it reports.
func run(t *testing.T, l *reallibs.Library, program, task, cache string, result any) error {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	file := filepath.Join(t.TempDir(), "report.json")
	args := []string{"-test.v"}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	cmd := l.Command(ctx, program, args...)
	cmd.Env = append(cmd.Env, inside+"="+task, api+"="+l.API, release+"="+l.Version,
		folder+"="+cache, report+"="+file, "AMD_COMGR_CACHE=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s with %s %s: %w\n%s", task, l.API, l.Version, err, out)
	}
	if testing.Verbose() {
		t.Logf("%s", out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, result)
}

// tell reports what a task found out.
func tell(t *testing.T, result any) {
	data, err := json.Marshal(result)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(os.Getenv(report), data, 0o600))
}
