package eventtest

import (
	"errors"
	"fmt"
	"regexp"
	"runtime"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
)

var deviceBehaviours = []behaviour{
	{"device/describes-itself", nil, func(k *kit) {
		d := k.Device
		k.NotEmpty(d.Name())
		k.Regexp(regexp.MustCompile(`^(cuda:\d+|hip:\d+|host)$`), d.String())
		k.Equal(d.Backend() == event.Host, d.IsHost())
		k.NotZero(d.Capabilities() & event.CapTiming)
		k.Contains(d.Capabilities().String(), "timing")
		least, greatest := d.PriorityRange()
		k.LessOrEqual(greatest, least)
		if d.IsHost() {
			k.Zero(d.Ordinal())
			k.Empty(d.PCIBusID())
			return
		}
		k.Regexp(regexp.MustCompile(`^[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(\.\d)?$`),
			d.PCIBusID())
		if d.Backend() == event.CUDA {
			k.Regexp(regexp.MustCompile(`^sm_\d+$`), d.Architecture())
			context, err := d.Context()
			k.NoError(err)
			k.NotZero(context)
		}
	}},
	{"device/memory", nil, func(k *kit) {
		m, err := k.Device.Memory()
		if err != nil {
			k.refused(err, event.ErrUnsupported, k.Device.String())
			k.Zero(m.Free)
			return
		}
		k.Positive(m.Free)
		k.LessOrEqual(m.Free, m.Total)
	}},
	{"device/do-makes-it-current", nil, func(k *kit) {
		ran := false
		k.NoError(k.Device.Do(func() error { ran = true; return k.isCurrent() }))
		k.True(ran)
		k.True(k.Device.Do(func() error { return errPlanted }) == errPlanted, "the error is f's own")
		func() {
			defer func() { k.True(recover() == errPlanted) }()
			_ = k.Device.Do(func() error { panic(errPlanted) })
		}()
		left := make(chan struct{})
		go func() {
			defer close(left)
			_ = k.Device.Do(func() error { runtime.Goexit(); return nil })
		}()
		k.reached("the end of the goroutine", left)
		k.refused(k.Device.Do(nil), event.ErrInvalidOption, k.Device.String())
		k.refused((*event.Device)(nil).Do(func() error { return nil }), event.ErrNoDevice)
	}},
	{"device/do-nests", []need{second}, func(k *kit) {
		k.NoError(k.Device.Do(func() error {
			err := k.Second.Do(func() error {
				if !k.Device.IsHost() {
					k.Error(k.isCurrent())
				}
				return nil
			})
			return errors.Join(err, k.isCurrent())
		}))
	}},
	{"device/is-one-object", nil, func(k *kit) {
		if !k.Device.IsHost() {
			again, err := event.Open(k.Device.String())
			k.NoError(err)
			k.Same(k.Device, again)
			k.Contains(event.Devices(), k.Device)
		}
		host, err := event.Open("host")
		k.NoError(err)
		again, err := event.Open("host:0")
		k.NoError(err)
		k.Same(host, again)
		all := event.Devices()
		k.Same(host, all[len(all)-1])
		k.Same(all[0], event.Default())
		if gpu, err := event.DefaultGPU(); len(all) > 1 {
			k.NoError(err)
			k.Same(all[0], gpu)
		} else {
			k.refused(err, event.ErrNoDevice, "cuda", "hip")
		}
		for _, name := range []string{"", "gpu:0", "host:1", "cuda:-1", "cuda:x", "cuda:4096"} {
			_, err := event.Open(name)
			k.refused(err, event.ErrNoDevice, name)
		}
		k.ErrorIs(event.Unavailable("metal"), event.ErrNoDevice)
		k.NoError(event.Unavailable(event.Host))
		m := map[*event.Device]string{k.Device: "it"}
		k.Equal("it", m[k.stream().Device()])
		k.Equal("it", m[k.event().Device()])
	}},
	{"device/differs-from-others", []need{second}, func(k *kit) {
		k.NotSame(k.Device, k.Second)
		if !k.Device.IsHost() {
			k.NotEqual(k.Device.String(), k.Second.String())
		}
	}},
	{"device/default-stream", nil, func(k *kit) {
		s := k.Device.DefaultStream()
		k.Same(s, k.Device.DefaultStream())
		k.NotSame(s, k.stream())
		k.True(s.IsDefault())
		k.False(s.IsNonBlocking())
		k.Zero(natives.Word(s))
		k.Contains(s.String(), "default")
		e := k.event()
		k.NoError(s.Record(e))
		k.NoError(s.Sync())
		k.isDone(true, e)
		k.isDone(true, s)
		k.NoError(s.Wait(k.ctx()))
		k.refused(s.Close(), event.ErrInvalidOption, "belongs to its device")
	}},
	{"device/default-stream-orders-legacy-streams", nil, func(k *kit) {
		d := k.Device.DefaultStream()
		legacy, free := k.stream(event.WithLegacySync()), k.stream()
		k.False(legacy.IsNonBlocking())
		k.True(free.IsNonBlocking())
		g := k.gate(legacy)
		onDefault, onFree := k.event(), k.record(free)
		k.NoError(onDefault.Record(d))
		k.NoError(onFree.Sync())
		k.isDone(false, onDefault)
		g.open()
		k.NoError(onDefault.Sync())

		held := k.gate(d)
		onLegacy := k.record(legacy)
		onFree = k.record(free)
		k.NoError(onFree.Sync())
		k.isDone(false, onLegacy)
		held.open()
		k.NoError(onLegacy.Sync())
	}},
	{"device/sync-waits-for-all-streams", nil, func(k *kit) {
		s1, s2 := k.stream(), k.stream()
		g1, g2 := k.gate(s1), k.gate(s2)
		e1, e2 := k.record(s1), k.record(s2)
		g1.open()
		g2.open()
		k.NoError(k.Device.Sync())
		k.isDone(true, e1)
		k.isDone(true, e2)
	}},
	{"device/nil-is-refused", nil, func(k *kit) {
		var d *event.Device
		_, err := d.NewStream()
		k.ErrorIs(err, event.ErrNoDevice)
		_, err = d.NewEvent()
		k.ErrorIs(err, event.ErrNoDevice)
		k.ErrorIs(d.Sync(), event.ErrNoDevice)
		callAll(k, d, nil)
	}},
	{"device/zero-is-like-nil", nil, func(k *kit) {
		answersLike(k, new(event.Device), (*event.Device)(nil))
		_, err := new(event.Device).NewStream()
		k.refused(err, event.ErrNoDevice)
	}},
}

// isCurrent returns an error if another device is current on the thread.
func (k *kit) isCurrent() error {
	var now, want uintptr
	switch k.Device.Backend() {
	case event.CUDA:
		c, err := cudrv.CtxGetCurrent()
		if err != nil {
			return err
		}
		now = uintptr(c)
		if want, err = k.Device.Context(); err != nil {
			return err
		}
	case event.HIP:
		d, err := hip.GetDevice()
		if err != nil {
			return err
		}
		now, want = uintptr(d), uintptr(k.Device.Ordinal())
	}
	if now != want {
		return fmt.Errorf("%#x is current instead of %#x", now, want)
	}
	return nil
}

// typed wants a native handle of the device's backend, and an error from the other backend's
// method.
func (k *kit) typed(b event.Backend, word uintptr, err error, words ...string) {
	k.t.Helper()
	if k.Device.Backend() == b {
		k.NoError(err)
		k.NotZero(word)
		return
	}
	k.Zero(word)
	k.refused(err, event.ErrBackendMismatch, words...)
}
