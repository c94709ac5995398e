package backend

import (
	"bytes"
	"strings"
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/image"
)

// jitLogBytes is the size of each of the two logs of a compilation by the driver.
const jitLogBytes = 16 << 10

// Load has the driver compile PTX, which a fatbin may have as well, and copy the image.
func (c *cudaDevice) Load(data []byte, o JIT) (m Module, log string, err error) {
	kind := image.KindOf(data)
	if kind != image.PTX && kind != image.Fatbin {
		if o != (JIT{}) {
			return m, "", unsupported("the driver compiles PTX at load time, and this image is of "+
				"kind %v; leave the options of the compilation out, or load PTX", kind)
		}
		m, err = c.load("cuModuleLoadData", func() (cudrv.Module, error) {
			return cudrv.ModuleLoadData(unsafe.Pointer(unsafe.SliceData(data)))
		})
		return m, "", err
	}
	if kind == image.PTX && !bytes.HasSuffix(data, []byte{0}) {
		data = append(bytes.Clone(data), 0)
	}
	options := jitOptions(o)
	m, err = c.load("cuModuleLoadDataEx", func() (cudrv.Module, error) {
		return cudrv.ModuleLoadDataEx(unsafe.Pointer(unsafe.SliceData(data)), options.Len(),
			options.Options(), options.Values())
	})
	return m, joinLogs(options.ErrorLogText(), options.InfoLogText()), err
}

func (c *cudaDevice) load(call string, f func() (cudrv.Module, error)) (m Module, err error) {
	err = c.unsafely(call, func() error {
		module, err := f()
		m.Word = uintptr(module)
		return err
	})
	if err != nil && m.Word != 0 {
		err = driver.Undone(err, func() error { return c.Unload(m) })
		m = Module{}
	}
	return m, err
}

func jitOptions(o JIT) *cudrv.JITOptions {
	options := new(cudrv.JITOptions)
	options.InfoLog(jitLogBytes).ErrorLog(jitLogBytes)
	if o.MaxRegisters > 0 {
		options.MaxRegisters(uint32(o.MaxRegisters))
	}
	if o.Optimization != 0 {
		options.OptimizationLevel(uint32(max(o.Optimization, 0)))
	}
	if o.LineInfo {
		options.GenerateLineInfo(true)
	}
	if o.Debug {
		options.GenerateDebugInfo(true)
	}
	return options
}

// joinLogs puts the errors first.
func joinLogs(errorLog, infoLog string) string {
	logs := make([]string, 0, 2)
	for _, log := range []string{errorLog, infoLog} {
		if log = strings.TrimSpace(log); log != "" {
			logs = append(logs, log)
		}
	}
	return strings.Join(logs, "\n")
}

func (c *cudaDevice) Unload(m Module) error {
	return c.end(c.unsafely, "cuModuleUnload", func() error {
		return cudrv.ModuleUnload(cudrv.Module(m.Word))
	})
}

func (c *cudaDevice) Function(m Module, name string) (f Function, err error) {
	err = c.inside("cuModuleGetFunction", func() error {
		function, err := cudrv.ModuleGetFunction(cudrv.Module(m.Word), name)
		f.Word = uintptr(function)
		return err
	})
	return f, err
}

func (c *cudaDevice) Global(m Module, name string) (address, size uintptr, err error) {
	err = c.inside("cuModuleGetGlobal", func() error {
		at, n, err := cudrv.ModuleGetGlobal(cudrv.Module(m.Word), name)
		address, size = uintptr(at), n
		return err
	})
	return address, size, err
}
