package event_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/battery"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// memoryInfo returns the vendor's function for free memory.
func memoryInfo(b event.Backend) string {
	if b == event.CUDA {
		return "cuMemGetInfo_v2"
	}
	return "hipMemGetInfo"
}

// allocate takes memory of the current device.
func allocate(b event.Backend, bytes uintptr) error {
	if b == event.CUDA {
		_, err := cudrv.MemAlloc(bytes)
		return err
	}
	_, err := hip.Malloc(bytes)
	return err
}

func TestMemoryIsThatOfTheDevice(t *testing.T) {
	onFaces(t, append(cudaFaces(), hipFaces()...), sim.Options{}, func(t *testing.T, r *rig) {
		d, other := r.device(0), r.device(1)
		before := obtain(d.Memory())
		assert.Equal(t, event.MemoryInfo{Total: 16 << 30, Free: 16 << 30}, before)
		require.NoError(t, d.Do(func() error { return allocate(r.backend, 1<<20) }))
		assert.Equal(t, event.MemoryInfo{Total: 16 << 30, Free: 16<<30 - 1<<20}, obtain(d.Memory()))
		assert.Equal(t, before, obtain(other.Memory()))
	})
}

func TestMemoryWhereItCannotBeAsked(t *testing.T) {
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		missing := sim.Options{Missing: []string{memoryInfo(b)}}
		onFaces(t, []face{newest(b)}, missing, func(t *testing.T, r *rig) {
			m, err := r.device(0).Memory()
			assert.ErrorIs(t, err, event.ErrUnsupported)
			assert.ErrorContains(t, err, "Device.Memory: "+string(b)+":0: ")
			assert.ErrorContains(t, err, memoryInfo(b))
			assert.Equal(t, event.MemoryInfo{Total: 16 << 30}, m)
		})
	}
	m, err := (*event.Device)(nil).Memory()
	assert.ErrorIs(t, err, event.ErrNoDevice)
	assert.Zero(t, m)
}

// However the function ends, and whatever it makes current, the thread has its own afterwards.
func TestDoRestoresTheThread(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		switchAway := func() error { r.Bind(battery.OtherDevice); return nil }
		for name, f := range map[string]func() error{
			"returns":          func() error { return nil },
			"fails":            plant,
			"panics":           func() error { panic(errPlanted) },
			"leaves":           func() error { runtime.Goexit(); return nil },
			"switches":         switchAway,
			"switches, panics": func() error { r.Bind(battery.OtherDevice); panic(errPlanted) },
			"nests":            func() error { return r.device(1).Do(plant) },
		} {
			for _, b := range battery.Bindings(r.backend) {
				ended := make(chan struct{})
				go func() {
					runtime.LockOSThread() // and is not unlocked: the thread ends with the goroutine
					r.Bind(b)
					before := r.Current()
					defer close(ended)
					defer func() {
						_ = recover()
						assert.Equal(t, before, r.Current(), "%s, %s current", name, b)
					}()
					_ = d.Do(func() error {
						assert.NotZero(t, name)
						return f()
					})
				}()
				reached(t, "the end", ended)
			}
		}
	})
}

func TestDoThatCannotEnter(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		d := r.device(0)
		require.NoError(t, d.Sync()) // which makes the context
		call := "hipGetDevice"
		if r.backend == event.CUDA {
			call = "cuCtxPushCurrent_v2"
		}
		r.m.FaultAlways(call, 2)
		ran := false
		err := d.Do(func() error { ran = true; return nil })
		r.m.ClearFaults()
		var driver *event.DriverError
		require.ErrorAs(t, err, &driver)
		assert.Equal(t, "Device.Do", driver.Op)
		assert.False(t, ran)
	})
}
