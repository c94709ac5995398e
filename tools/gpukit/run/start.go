package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// grace is what a process has between being asked to end and being killed.
const grace = 5 * time.Second

// result is how a process ended.
type result struct {
	stdout, stderr string
	status         int
	err            error // if it did not start, or was ended by a signal
	timedOut       bool
	stopped        bool // by the end of the run's context
}

// errUnkillable is returned if a process ignores even SIGKILL. The run ends then.
var errUnkillable = errors.New("the process can't be killed: it hangs in a driver; " +
	"it may need a restart of the machine")

// start runs a program to its end, or to the limit. Then nothing of its process group is left, and
// what it wrote into its folder for temporary files is gone.
func (k *kit) start(ctx context.Context, limit time.Duration, program string,
	args ...string) result {
	if supported != nil {
		return result{err: supported}
	}
	if ctx.Err() != nil {
		return result{err: ctx.Err(), stopped: true}
	}
	temp, err := os.MkdirTemp(k.temp, "step-")
	if err != nil {
		return result{err: err}
	}
	defer os.RemoveAll(temp)
	var stdout, stderr bounded
	cmd := exec.Command(program, args...)
	cmd.Dir = temp
	cmd.Env = environment(temp)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = k.grace // for output that a process outside of the group still holds
	group(cmd)
	if err := cmd.Start(); err != nil {
		return result{err: err}
	}
	r := result{}
	done := make(chan struct{})
	go func() { ended(cmd); close(done) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		r.timedOut = true
	case <-ctx.Done():
		r.stopped = true
	}
	if r.timedOut || r.stopped {
		end(cmd, false)
		select {
		case <-done:
		case <-time.After(k.grace):
		}
	}
	end(cmd, true) // what is left of the group, in any case
	select {
	case <-done:
	case <-time.After(grace):
		// it hangs in the kernel, as with a driver that does not answer
		r.err = errUnkillable
		r.stdout, r.stderr = stdout.String(), stderr.String()
		return r
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
	case errors.As(err, &exit) && exit.Exited():
		r.status = exit.ExitCode()
	default:
		r.err = err
	}
	r.stdout, r.stderr = stdout.String(), stderr.String()
	return r
}

// environment keeps caches of compilers and libraries inside a folder that is removed.
func environment(temp string) []string {
	env := os.Environ()
	for _, name := range []string{"TMPDIR", "XDG_CACHE_HOME", "GPUEVENT_KERNEL_CACHE",
		"CUDA_CACHE_PATH", "CUPY_CACHE_DIR", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR",
		"TORCH_HOME", "AMD_COMGR_CACHE_DIR", "PYTHONPYCACHEPREFIX"} {
		env = append(env, name+"="+filepath.Join(temp, name))
	}
	// the first must exist for programs to use it
	_ = os.Mkdir(filepath.Join(temp, "TMPDIR"), 0o700)
	return env
}

// much is how much of a process's output is kept at its beginning, and as much at its end.
const much = 2 << 20

// bounded keeps the beginning and the end of what is written to it.
type bounded struct {
	mu          sync.Mutex
	first, last bytes.Buffer
	lost        int
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(p)
	room := min(much-b.first.Len(), len(p))
	b.first.Write(p[:room])
	b.last.Write(p[room:])
	if over := b.last.Len() - 2*much; over > 0 {
		b.lost += over + much
		b.last.Next(over + much)
	}
	return n, nil
}

func (b *bounded) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost == 0 {
		return b.first.String() + b.last.String()
	}
	return fmt.Sprintf("%s\n... %d bytes left out ...\n%s", b.first.String(), b.lost, b.last.String())
}
