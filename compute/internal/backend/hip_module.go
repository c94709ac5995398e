package backend

import (
	"errors"
	"unsafe"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// Load refuses options: the runtime ignores them. It reads a plain code object where it lies until
// the module is unloaded.
// fact: amd-jit-options-ignored
// fact: amd-image-not-copied
func (h *hipDevice) Load(data []byte, o JIT) (m Module, log string, err error) {
	if o != (JIT{}) {
		return m, "", unsupported("the HIP runtime ignores options of a compilation at load time; " +
			"leave them out, and give options to the compiler")
	}
	err = h.unsafely("hipModuleLoadData", func() error {
		module, err := hip.ModuleLoadData(unsafe.Pointer(unsafe.SliceData(data)))
		m.Word = uintptr(module)
		return err
	})
	if err != nil && m.Word != 0 {
		err = driver.Undone(err, func() error { return h.Unload(m) })
		m = Module{}
	}
	return m, "", err
}

func (h *hipDevice) Unload(m Module) error {
	return h.end(h.unsafely, "hipModuleUnload", func() error {
		return hip.ModuleUnload(hip.Module(m.Word))
	})
}

// Function looks a kernel up. A runtime that returns 719 for a name that the module lacks has not
// lost the device, so that the code counts as not found unless the device fails otherwise too.
// fact: chip-unknown-kernel
func (h *hipDevice) Function(m Module, name string) (f Function, err error) {
	err = h.inside("hipModuleGetFunction", func() error {
		function, err := hip.ModuleGetFunction(hip.Module(m.Word), name)
		f.Word = uintptr(function)
		if errors.Is(err, hip.ErrLaunchFailure) && h.alive() {
			return hip.ErrNotFound
		}
		return err
	})
	return f, err
}

// alive reports whether the null stream of the current device can be queried.
func (h *hipDevice) alive() bool {
	err := hip.StreamQuery(0)
	return err == nil || errors.Is(err, hip.ErrNotReady)
}

func (h *hipDevice) Global(m Module, name string) (address, size uintptr, err error) {
	err = h.inside("hipModuleGetGlobal", func() error {
		at, n, err := hip.ModuleGetGlobal(hip.Module(m.Word), name)
		address, size = uintptr(at), n
		return err
	})
	return address, size, err
}
