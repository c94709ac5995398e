package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/tools/results/growth"
)

// The panels of the streams' plot.
const (
	cpuShare = "processor while waiting" // per cent of a core
	queries  = "driver queries"          // per second
	waking   = "wake-up latency"         // nanoseconds
)

// measureStreams measures what it costs to wait for n streams whose work does not end, and how soon
// a wait for one more ends.
func measureStreams(o options) ([]growth.Curve, error) {
	c := &curves{figure: "streams", should: map[string]growth.Verdict{
		cpuShare: growth.Linear, queries: growth.Linear, waking: growth.Flat,
	}}
	for range o.rounds {
		for _, way := range []string{onHost, onSim} {
			for _, n := range doubling(o.streams) {
				err := with(way, func(r *rig) error { return measureStuck(c, r, n, o) })
				if err != nil {
					return nil, fmt.Errorf("%d streams: %w", n, err)
				}
			}
		}
	}
	return c.finish(), nil
}

// stuck is a stream whose work does not end until open is called, and a goroutine that waits.
type stuck struct {
	stream *event.Stream
	event  *event.Event
	open   func()
	awake  chan woken
}

type woken struct {
	at  time.Time
	err error
}

func (r *rig) stick() (*stuck, error) {
	s, err := r.device.NewStream()
	if err != nil {
		return nil, err
	}
	e, err := r.device.NewEvent()
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	k := &stuck{stream: s, event: e, awake: make(chan woken, 1)}
	if err := k.hold(r); err != nil {
		return nil, errors.Join(err, e.Close(), s.Close())
	}
	return k, nil
}

// hold has the stream work again, and somebody wait for it.
func (k *stuck) hold(r *rig) error {
	open, err := r.hold(k.stream)
	if err != nil {
		return err
	}
	k.open = open
	if err := k.event.Record(k.stream); err != nil {
		open()
		return err
	}
	go func() {
		err := k.event.Wait(context.Background())
		k.awake <- woken{time.Now(), err}
	}()
	return nil
}

// free ends the work, and returns how long after that the goroutine was awake.
func (k *stuck) free() (time.Duration, error) {
	began := time.Now()
	k.open()
	w := <-k.awake
	return w.at.Sub(began), w.err
}

func (k *stuck) close() error {
	_, err := k.free()
	return errors.Join(err, k.event.Close(), k.stream.Close())
}

func measureStuck(c *curves, r *rig, n int, o options) (err error) {
	var all []*stuck
	defer func() {
		for _, k := range all {
			err = errors.Join(err, k.close())
		}
	}()
	for range n {
		k, err := r.stick()
		if err != nil {
			return err
		}
		all = append(all, k)
	}
	time.Sleep(o.window / 4) // polling slows down at first
	asked := r.device.Stats().Polled.Queries
	share, took, err := shareOver(o.window)
	if err != nil {
		return err
	}
	rate := float64(r.device.Stats().Polled.Queries-asked) / took.Seconds()
	c.add(cpuShare, r.way, n, 1, 100*share)
	latencies, err := wakeOne(r, all[0], o)
	if err != nil {
		return err
	}
	w := c.of(waking, r.way, n)
	w.perRun, w.latencies, w.values = 1, true, append(w.values, latencies...)
	if r.way == onHost { // which is not polled
		return nil
	}
	// Last, for an event is polled without foresight once its handle was given out.
	each, err := queryCost(all[0], r.device, o)
	if err != nil {
		return err
	}
	c.add(queries, r.way, n, 1, rate)
	c.add(cpuShare, alone, n, 1, 100*rate*each/1e9)
	return nil
}

// shareOver is the share of a core that the process uses, over a window or more: until the system
// has counted any time at all.
func shareOver(window time.Duration) (share float64, took time.Duration, err error) {
	before, err := cpuTime()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	for range 1000 {
		time.Sleep(window)
		now, err := cpuTime()
		if err != nil {
			return 0, 0, err
		}
		if now > before {
			took = time.Since(began)
			return float64(now-before) / float64(took), took, nil
		}
	}
	return 0, 0, errors.New("the system counts no processor time")
}

// queryCost is what one query of a pending event takes through cudrv alone, in nanoseconds.
func queryCost(k *stuck, d *event.Device, o options) (float64, error) {
	native, err := k.event.CUDAEvent()
	if err != nil {
		return 0, err
	}
	var took time.Duration
	err = d.Do(func() error {
		began := time.Now()
		for range o.work {
			if err := cudrv.EventQuery(native); !errors.Is(err, cudrv.ErrNotReady) {
				return fmt.Errorf("a pending event answered %v", err)
			}
		}
		took = time.Since(began)
		return nil
	})
	return float64(took) / float64(o.work), err
}

// wakeOne measures how soon the wait for one stream ends, whose work takes 2 to 8 ms, while the
// others go on being stuck.
func wakeOne(r *rig, k *stuck, o options) ([]float64, error) {
	random := rand.New(rand.NewPCG(1, 2))
	var all []float64
	for i := range 1 + o.samples {
		if i > 0 {
			time.Sleep(2*time.Millisecond + time.Duration(random.Int64N(6_000_000)))
		}
		took, err := k.free()
		// Whatever happened, somebody waits again, whom close frees.
		if again := k.hold(r); again != nil || err != nil {
			return nil, errors.Join(err, again)
		}
		if i > 0 { // the first was stuck for as long as the others
			all = append(all, float64(took))
		}
	}
	return all, nil
}
