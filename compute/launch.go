package compute

import (
	"errors"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// Launch enqueues a run of the kernel on a stream of its device, and returns at once. The arguments
// are those of the C function, in order:
//
//   - numbers of fixed width (int32 for C's int, uint64 for size_t, float32) and bools,
//   - structs and arrays of such, with C's layout,
//   - a [*Buffer], or a slice of one, for a pointer to its elements,
//   - a [DevicePointer], [cudrv.Deviceptr] or [hip.Deviceptr] for any other address.
//
// Their number, sizes and kinds are checked against the kernel's parameters, as far as the driver
// or the image has them; a wrong launch is refused with [ErrArgument] or [ErrConfig] before it
// reaches the driver. Values are copied during the call. Buffers may be closed afterwards: their
// memory is freed after the launch.
//
// A kernel that fails does so later: an access outside of memory, a trap or a timeout comes out of
// the next wait for the stream, as an [event.DriverError] whose Kernels names those in flight. On
// the host device the error is a panic of the Go function.
//
// Launch allocates nothing on a GPU.
func (k *Kernel) Launch(s *event.Stream, c Config, args ...any) error {
	const op = "Kernel.Launch"
	if k.isNil() {
		return k.open(op)
	}
	native, err := k.device.use(op, s)
	if err != nil {
		return err
	}
	err = k.launch(op, s, native, &c, noescape(args))
	streamOf(s).Release()
	return err
}

// launch is Launch on a stream in use. It retains the module and the buffers.
func (k *Kernel) launch(op string, s *event.Stream, native driver.Object, c *Config,
	args []any) error {
	m := k.module.loaded
	if !m.retain() {
		return k.closedError(op)
	}
	m.users.note(s)
	b := k.device.backend
	f := b.Frame()
	retained, err := k.fill(op, s, f, c, args)
	if err == nil && !c.none {
		err = k.enqueue(op, s, native, f, args)
	}
	b.PutFrame(f)
	releaseBuffers(retained)
	m.release()
	return err
}

// enqueue makes the driver's call with a frame.
func (k *Kernel) enqueue(op string, s *event.Stream, native driver.Object, f *backend.Frame,
	args []any) error {
	err := k.device.backend.Launch(native, k.function, &f.Config, f)
	if err != nil && !driver.OnlyRestore(err) {
		return k.failed(op, s, err)
	}
	mayCapture := streamOf(s).Launched(k.noted)
	switch {
	case err != nil: // it was launched, but the thread's own context could not be restored
		return errors.Join(k.failed(op, s, err), k.noteCapture(op, s, native, args))
	case mayCapture:
		return k.noteCapture(op, s, native, args)
	}
	return nil
}

// fill checks a launch and puts it into a frame. It retains buffers as put does.
func (k *Kernel) fill(op string, s *event.Stream, f *backend.Frame, c *Config, args []any) (
	retained []any, err error) {
	if f.Config, err = c.check(op, k, k.limits); err != nil {
		return nil, err
	}
	if retained, err = k.put(op, s, f, args); err != nil {
		return retained, err
	}
	if k.function.Host != nil {
		if f.Args, err = k.hostArgs(op, f.Args, args); err != nil {
			return retained, err
		}
	}
	if int64(c.Shared) > k.allowed.Load() {
		if err := k.allow(op, c.Shared); err != nil {
			return retained, err
		}
	}
	if c.Cooperative || f.Config.Cluster.X != 0 {
		return retained, k.fitsAtOnce(op, &f.Config)
	}
	return retained, nil
}

// fitsAtOnce refuses a cooperative launch whose blocks can't all run at once, and clusters of which
// not one can. Others wait for their turn.
func (k *Kernel) fitsAtOnce(op string, c *backend.Config) error {
	if c.Cluster.X != 0 {
		n, err := k.device.backend.Clusters(k.function, c)
		if err != nil {
			return k.failed(op, nil, err)
		}
		if n == 0 {
			return refusal(op, k, ErrConfig, "no cluster of %v blocks of %v threads fits on the device",
				c.Cluster, c.Block)
		}
	}
	if !c.Cooperative {
		return nil
	}
	n, err := k.device.backend.Occupancy(k.function, c.Block.Size(), int(c.Shared))
	if err != nil {
		return k.failed(op, nil, err)
	}
	if most := n * int(k.limits.Processors); c.Grid.Size() > most {
		return refusal(op, k, ErrConfig, "a cooperative launch of %d blocks; %d fit on the device at "+
			"once, %d on each of %d processors", c.Grid.Size(), most, n, k.limits.Processors)
	}
	return nil
}

// wrongBuffer returns the error for a buffer that can't be an argument.
func (k *Kernel) wrongBuffer(op string, i int, r *span) error {
	if r == nil {
		return refusal(op, k, ErrNil, "argument %d: a nil buffer; pass DevicePointer(0) for a null "+
			"pointer", i)
	}
	cause := event.ErrDeviceMismatch
	if r.block.device.event.Backend() != k.device.event.Backend() {
		cause = event.ErrBackendMismatch
	}
	return refusal(op, k, cause, "argument %d: %v; copy it to %v with Buffer.CopyFromBuffer", i,
		r.block, k.device.event)
}

// allow raises the limit of dynamic shared memory, which the driver keeps per function.
func (k *Kernel) allow(op string, bytes int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if int64(bytes) <= k.allowed.Load() {
		return nil
	}
	if err := k.device.backend.AllowShared(k.function, bytes); err != nil {
		return k.failed(op, nil, err)
	}
	k.allowed.Store(int64(bytes))
	return nil
}

// failed returns the error of a launch that names the kernel.
func (k *Kernel) failed(op string, s *event.Stream, err error) error {
	return failedOn(op, k, s, err)
}
