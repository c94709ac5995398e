package sim

import (
	gocontext "context"
	"errors"
	"fmt"
	"slices"

	"github.com/gpuevent/gpuevent/internal/host"
	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

// Kernel makes the Go function run in the place of the kernels of this name. Launches that were
// made before are not changed. It panics if fn can't be a kernel, see package kernel. A kernel
// without a function does nothing and takes no time; with nil it does so on purpose, see
// [Machine.MissingKernels].
func (m *Machine) Kernel(name string, fn any) {
	if fn == nil {
		m.kernels.Store(name, (*kernel.Func)(nil))
		return
	}
	k, err := kernel.Of(fn)
	if err != nil {
		panic(fmt.Sprintf("sim: kernel %s: %v", name, err))
	}
	m.kernels.Store(name, k.Named(name))
}

// kernel returns a kernel's function, and whether there is one or nil was given for it.
func (m *Machine) kernel(name string) (run *kernel.Func, known bool) {
	if k, ok := m.kernels.Load(name); ok {
		return k.(*kernel.Func), true
	}
	return nil, false
}

// MissingKernels returns the names of the kernels that ran without a Go function, sorted.
func (m *Machine) MissingKernels() []string {
	var names []string
	m.missing.Range(func(name, _ any) bool {
		names = append(names, name.(string))
		return true
	})
	slices.Sort(names)
	return names
}

// KernelParams returns the parameters of a kernel's Go function, and whether it has one.
func (m *Machine) KernelParams(name string) (params []images.Param, ok bool) {
	k, _ := m.kernel(name)
	if k == nil {
		if l, found := m.layouts.Load(name); found {
			k = l.(*kernel.Func)
		}
	}
	if k == nil {
		return nil, false
	}
	return images.ParamsOf(k), true
}

// KernelFailures returns the errors of kernels that failed, in the order of their ends.
func (m *Machine) KernelFailures() []error {
	m.notesMu.Lock()
	defer m.notesMu.Unlock()
	return append([]error(nil), m.failures...)
}

// execute runs the kernel's Go function on all blocks. A failure breaks the context, and is noted
// before, for those who wait for the kernel to see.
func (l *kernelLaunch) execute(engine *host.Engine) {
	if err := l.blocks(); err != nil {
		l.entry.module.home.f.noteFailure(err)
		engine.Fail(workError(failureCode(err)))
	}
}

func (l *kernelLaunch) blocks() error {
	f := l.entry.module.home.f
	var leases []lease
	defer func() {
		for _, u := range leases {
			f.endLease(u)
		}
	}()
	bound, err := l.run.BindPacked(l.packed, func(address uintptr) ([]byte, error) {
		if f.endOfBlock(address) {
			return []byte{}, nil
		}
		u, err := f.borrow(l.call, address, 1)
		if err != nil {
			return nil, err
		}
		leases = append(leases, u)
		return f.rest(u, address), nil
	})
	if err != nil {
		return err
	}
	return bound.Run(gocontext.Background(),
		kernel.Launch{Grid: l.grid, Block: l.block, Shared: int(l.shared)})
}

// endOfBlock reports whether an address is the end of a live block and no memory begins there: the
// address of an empty slice, which a kernel may be given and reads nothing of.
func (f *face) endOfBlock(address uintptr) bool {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	if b := f.memory.live.of(address - 1); b == nil || b.at+b.size != address {
		return false
	}
	return f.memory.live.of(address) == nil
}

// rest returns the leased memory to the end of its block.
func (f *face) rest(u lease, address uintptr) []byte {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	b := u.block.bytes(address)
	return b[:len(b):len(b)]
}

// failureCode returns what a device reports for a kernel that failed.
func failureCode(err error) code {
	var w workError
	switch {
	case errors.As(err, &w):
		return code(w)
	case errors.Is(err, kernel.ErrIllegalAddress):
		return illegalAddress
	case errors.Is(err, kernel.ErrMisaligned):
		return misalignedAddress
	}
	return launchFailed
}

func (f *face) noteFailure(err error) {
	f.m.notesMu.Lock()
	defer f.m.notesMu.Unlock()
	f.m.failures = append(f.m.failures, err)
}
