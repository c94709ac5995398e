package compute

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/image"
)

// Module is code loaded on a device. Get one with [Compile] or [Load], and its kernels with
// [Module.Kernel]. All methods are safe for concurrent use.
type Module struct {
	*loaded
	known   *image.Image // what the image contains; nil if it can't be read
	lowered map[string]string
	twins   twins // for the host device
	log     string
	whole   runtime.Cleanup

	mu      sync.Mutex
	kernels map[string]*Kernel
}

// loaded is a module as the driver has it. A Module that is dropped without Close is unloaded.
type loaded struct {
	device *device
	native backend.Module
	code   []byte // the image: AMD's runtime reads it until the module is unloaded
	label  string

	lifetime // used by launches of its kernels
}

// Log returns the messages of the compiler and of the driver's compiler; often empty.
func (m *Module) Log() string {
	if m == nil {
		return ""
	}
	return m.log
}

// isNil reports whether the module is nil or its zero value, which no function returns.
func (m *Module) isNil() bool { return m == nil || m.loaded == nil }

// Device returns the device that the module is loaded on.
func (m *Module) Device() *event.Device {
	if m.isNil() {
		return nil
	}
	return m.device.event
}

// String returns the device's name, "module" and a number.
func (m *Module) String() string {
	if m.isNil() {
		return "module <nil>"
	}
	return m.loaded.String()
}

func (m *loaded) String() string { return m.label }

// Names returns the names of the module's kernels, sorted, as far as the image has them.
func (m *Module) Names() []string {
	if m == nil || m.known == nil {
		return nil
	}
	names := make([]string, 0, len(m.known.Kernels))
	for _, k := range m.known.Kernels {
		names = append(names, k.Name)
	}
	slices.Sort(names)
	return names
}

// Kernel returns a kernel by its name. For a C++ template or a kernel in a namespace that is the
// expression given in [Source.Names], or the symbol. An unknown name is [ErrNotFound].
func (m *Module) Kernel(name string) (*Kernel, error) {
	const op = "Module.Kernel"
	if err := m.open(op); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.kernels[name]; k != nil {
		return k, nil
	}
	k, err := m.find(op, name)
	if err != nil {
		return nil, err
	}
	if m.kernels == nil {
		m.kernels = map[string]*Kernel{}
	}
	m.kernels[name] = k
	return k, nil
}

// find looks a kernel up in the driver.
func (m *Module) find(op, name string) (*Kernel, error) {
	symbol := name
	if lowered, ok := m.lowered[name]; ok {
		symbol = lowered
	}
	f, err := m.device.backend.Function(m.native, symbol)
	if err != nil {
		return nil, m.notFound(op, "kernel", name, err)
	}
	k := &Kernel{module: m, device: m.device, function: f, name: name, noted: &name}
	if err := k.learn(symbol); err != nil {
		return nil, failed(op, m, err)
	}
	return k, nil
}

// notFound returns the error for a name that the driver does not find.
func (m *Module) notFound(op, what, name string, err error) error {
	if !errors.Is(err, backend.ErrNotFound) {
		return failed(op, m, err)
	}
	detail := ""
	switch names := m.Names(); {
	case m.device.event.IsHost():
		detail = fmt.Sprintf("set Source.Host[%q]", name)
	case len(names) > 16:
		detail = fmt.Sprintf("it has %d kernels: see Module.Names", len(names))
	case len(names) > 0:
		detail = fmt.Sprintf("it has the kernels %q", names)
	default:
		detail = `declare it extern "C", or name it in Source.Names`
	}
	return refusal(op, m, ErrNotFound, "%s %q; %s", what, name, detail)
}

// Global returns the module's variable of a name, in device memory or constant memory, as a buffer
// of T. The buffer belongs to the module and is closed with it.
func Global[T any](m *Module, name string) (*Buffer[T], error) {
	const op = "Global"
	if err := m.open(op); err != nil {
		return nil, err
	}
	size, err := sizeOf[T](op, m.device.event)
	if err != nil {
		return nil, err
	}
	symbol := name
	if lowered, ok := m.lowered[name]; ok {
		symbol = lowered
	}
	at, bytes, err := m.device.backend.Global(m.native, symbol)
	if err != nil {
		return nil, m.notFound(op, "variable", name, err)
	}
	if twin := m.twins.variables[name]; twin != nil && uintptr(len(twin)) != bytes {
		return nil, refusal(op, m, ErrType, "Source.Host[%q] has %d bytes; the variable has %d", name,
			len(twin), bytes)
	}
	if bytes%size != 0 {
		return nil, refusal(op, m, ErrBounds, "variable %q has %d bytes, no multiple of %d, the size "+
			"of %v", name, bytes, size, reflect.TypeFor[T]())
	}
	b := &block{device: m.device, address: at, bytes: bytes, module: m,
		label: fmt.Sprintf("%v variable %s", m.device.event, name)}
	if h, ok := m.device.backend.(*backend.Host); ok {
		b.host = h.Memory(at, bytes)
	}
	x := &Buffer[T]{span: span{block: b, n: int(bytes / size)}}
	x.root = x
	return x, nil
}

// Close unloads the module when the work enqueued on its kernels so far is done, and no graph
// launches them. It returns at once. Kernels of the module return [event.ErrClosed] from then on.
// Later calls do nothing.
func (m *Module) Close() error {
	if m.isNil() {
		return nil
	}
	m.whole.Stop()
	return m.close()
}

func (m *loaded) close() error {
	if !m.lifetime.close() {
		return nil // the last use ends it
	}
	return m.device.relaxed(func() error { return m.end("Module.Close") })
}

// closeAsync is close for the garbage collector.
func (m *loaded) closeAsync() { m.device.background(func() { report(m.close()) }) }

// release ends a use that retain began.
func (m *loaded) release() {
	if m.lifetime.release() {
		m.endLater()
	}
}

// endLater is end on another goroutine.
func (m *loaded) endLater() {
	m.device.background(func() { report(m.end("Module.Close")) })
}

// end unloads the module when the work of its users is done.
func (m *loaded) end(op string) error {
	return m.device.whenDone(m.users.take(), func() error {
		defer runtime.KeepAlive(m.code)
		return failed(op, m, m.device.destroy(func() error { return m.device.backend.Unload(m.native) }))
	})
}

// open refuses what is nil or closed.
func (m *Module) open(op string) error {
	if m.isNil() {
		return refusal(op, named("module <nil>"), ErrNil, "compile or load one")
	}
	if m.isClosed() {
		return refusal(op, m, event.ErrClosed, "compile or load it again")
	}
	return nil
}

// keep copies an image to memory that lasts as long as the module, with a NUL after it, since
// drivers read PTX up to one.
func keep(code []byte) []byte {
	kept := make([]byte, len(code)+1+int(unsafe.Sizeof(uint64(0))))
	copy(kept, code)
	return kept[:len(code)]
}
