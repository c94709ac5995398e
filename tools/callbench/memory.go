package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// memory opens n events and keeps them, and returns what that takes.
func memory(what string, n int, create func() (*event.Event, error)) (report.Memory, error) {
	events := make([]*event.Event, n) // not part of the events: whoever has them keeps a pointer
	before, goroutines := memStats(), runtime.NumGoroutine()
	m := report.Memory{What: what, Events: n}
	for i := range events {
		e, err := create()
		if err != nil {
			return m, fmt.Errorf("%s, event %d of %d: %w", what, i, n, err)
		}
		events[i] = e
	}
	var created runtime.MemStats
	runtime.ReadMemStats(&created)
	after := memStats()
	each := func(before, after uint64) float64 {
		return (float64(after) - float64(before)) / float64(n)
	}
	m.Heap = each(before.HeapAlloc, after.HeapAlloc)
	m.Runtime = each(before.Sys-before.HeapIdle, after.Sys-after.HeapIdle)
	m.Allocs = each(before.Mallocs, created.Mallocs)
	m.Goroutines = runtime.NumGoroutine() - goroutines
	return m, closeAll(events)
}

// memStats is read once the heap has settled: caches live through a collection, and what is closed
// goes step by step.
func memStats() (s runtime.MemStats) {
	for live := uint64(0); ; live = s.HeapAlloc {
		runtime.GC()
		runtime.ReadMemStats(&s)
		if moved := int64(s.HeapAlloc) - int64(live); -4096 < moved && moved < 4096 {
			return s
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func closeAll(events []*event.Event) error {
	for _, e := range events {
		if err := e.Close(); err != nil {
			return err
		}
	}
	return nil
}

// collection times the garbage collector with n events open, and with none.
func collection(
	backend string, n int, create func() (*event.Event, error),
) (report.Collection, error) {
	c := report.Collection{Backend: backend, Events: n}
	c.WithoutWall, c.WithoutCPU, _ = collect()
	events := make([]*event.Event, n)
	began := time.Now()
	for i := range events {
		e, err := create()
		if err != nil {
			return c, fmt.Errorf("event %d of %d: %w", i, n, err)
		}
		events[i] = e
	}
	c.Create = milliseconds(time.Since(began))
	c.Wall, c.CPU, c.Pause = collect()
	began = time.Now()
	err := closeAll(events)
	c.Close = milliseconds(time.Since(began))
	return c, err
}

// collect returns the medians of some collections in milliseconds, and the longest time for which
// one of them stopped the program.
func collect() (wall, cpu, pause float64) {
	runtime.GC()
	var walls, cpus []float64
	for range 7 {
		began := readClocks()
		runtime.GC()
		took := readClocks().since(began)
		walls = append(walls, float64(took.wall)/1e6)
		cpus = append(cpus, float64(took.process)/1e6)
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		// Each collection stops the program twice, and the two are noted as one.
		pause = max(pause, float64(s.PauseNs[(s.NumGC+255)%256])/1e6)
	}
	slices.Sort(walls)
	slices.Sort(cpus)
	return walls[len(walls)/2], cpus[len(cpus)/2], pause
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
