package eventtest

import (
	"context"

	"github.com/gpuevent/gpuevent/event"
)

var failureBehaviours = []behaviour{
	{"failure/ends-every-wait", []need{breakable}, func(k *kit) {
		s := k.stream()
		k.gate(s)
		e := k.record(s, event.WithTiming())
		done := e.Done()
		returned := make(chan error, 3)
		go func() { returned <- e.Wait(context.Background()) }()
		go func() { _, err := event.WaitAny(context.Background(), e); returned <- err }()
		k.NoError(e.OnDone(func(err error) { returned <- err }))
		k.breakDevice()
		var driver *event.DriverError
		for range 3 {
			err := <-returned
			k.ErrorAs(err, &driver)
			k.ErrorContains(err, e.String())
			k.NotEmpty(driver.Call)
			k.Error(driver.Code)
		}
		k.reached("done", done)
		k.ErrorAs(e.Err(), &driver)
	}},
	{"failure/never-reads-as-not-done", []need{breakable}, func(k *kit) {
		s := k.stream()
		k.gate(s)
		a, b := k.record(s, event.WithTiming()), k.record(s, event.WithTiming())
		k.breakDevice()
		var driver *event.DriverError
		done, err := a.IsDone()
		k.False(done)
		k.ErrorAs(err, &driver)
		k.Equal(event.Failed, a.State())
		k.ErrorAs(a.Sync(), &driver)
		k.ErrorAs(a.Wait(k.ctx()), &driver)
		_, err = b.Sub(a)
		k.ErrorAs(err, &driver)
		done, err = s.IsDone()
		k.False(done)
		k.ErrorAs(err, &driver)
		k.ErrorAs(s.Sync(), &driver)
		k.ErrorAs(k.Device.Sync(), &driver)
	}},
	{"failure/is-what-the-stream-tells", []need{breakable}, func(k *kit) {
		s := k.stream()
		k.gate(s)
		e := k.record(s)
		k.NoError(s.Err())
		k.breakDevice()
		var driver *event.DriverError
		k.ErrorAs(e.Wait(k.ctx()), &driver)
		for range 2 {
			k.ErrorAs(s.Err(), &driver)
			k.Equal(s.String(), driver.Object)
			k.Equal("Stream.Err", driver.Op)
		}
	}},
	{"failure/of-one-device-leaves-the-other", []need{breakable, second}, func(k *kit) {
		s := k.streamOn(k.Second)
		g := k.gate(s)
		e := k.record(s)
		k.breakDevice()
		k.isDone(false, e)
		g.open()
		k.NoError(e.Wait(k.ctx()))
	}},
}
