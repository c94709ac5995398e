package reallibs

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"github.com/gpuevent/gpuevent/internal/testing/bindings"
)

// Command returns a run of a program in which the library serves its API. The program sees no
// device, whether the machine has one or not.
func (l *Library) Command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	if l.Loader != "" {
		path := []string{"--library-path", l.list(l.LoaderPath), program}
		cmd = exec.CommandContext(ctx, l.full(l.Loader), append(path, args...)...)
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GPUEVENT_") && !strings.HasPrefix(v, "LD_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	for _, b := range bindings.All {
		cmd.Env = append(cmd.Env, b.NoDevices...)
		if b.Name == l.API {
			cmd.Env = append(cmd.Env, b.Library.Env+"="+l.Path())
		}
	}
	if l.Loader == "" {
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+l.list(l.LibraryPath))
	}
	return cmd
}

// list joins folders as the dynamic loader wants them.
func (l *Library) list(folders []string) string {
	full := make([]string, len(folders))
	for i, f := range folders {
		full[i] = l.full(f)
	}
	return strings.Join(full, ":")
}
