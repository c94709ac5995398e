package compute

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/event"
)

// Usage is the memory that this package has allocated on a device and not freed yet. Memory of
// closed buffers counts until the work that uses it is done. Memory that the driver keeps in its
// pool for reuse does not count.
type Usage struct {
	Buffers int
	Bytes   uint64 // without memory that the driver is freeing
	Peak    uint64 // the most bytes at any time
	// PinnedBuffers and PinnedBytes are those of [Pinned]: memory of the host.
	PinnedBuffers int
	PinnedBytes   uint64
	// Lost counts the buffers that were dropped without Close, and freed after the garbage collector
	// found them.
	Lost uint64
}

// UsageOf returns the account of a device.
func UsageOf(d *event.Device) (Usage, error) {
	x, err := deviceOf("UsageOf", d)
	if err != nil {
		return Usage{}, err
	}
	return x.account.usage(), nil
}

// Allocation is a buffer that is not freed yet.
type Allocation struct {
	Name   string // "cuda:0 buffer 0x7f…"
	Type   reflect.Type
	Bytes  uint64
	Pinned bool
	Closed bool   // it is freed when its work is done
	Where  string // the call that allocated it: "file.go:12"; "" unless [TraceAllocations] was on
}

// String describes the allocation in one line.
func (a Allocation) String() string {
	s := fmt.Sprintf("%s: %d bytes of %v", a.Name, a.Bytes, a.Type)
	if a.Closed {
		s += ", closed"
	}
	if a.Where != "" {
		s += ", allocated at " + a.Where
	}
	return s
}

var tracing atomic.Bool

// TraceAllocations makes each later allocation remember the line that it was made at, for
// [Allocations]. It costs about a microsecond per allocation.
func TraceAllocations(on bool) { tracing.Store(on) }

// Allocations returns the buffers of a device that are not freed yet, oldest first: the report of
// leaks, if a program calls it when it should have no buffers.
func Allocations(d *event.Device) ([]Allocation, error) {
	x, err := deviceOf("Allocations", d)
	if err != nil {
		return nil, err
	}
	return x.account.list(), nil
}

// account is the memory of a device.
type account struct {
	mu    sync.Mutex
	now   Usage
	next  uint64
	alive map[any]entry
}

type entry struct {
	number  uint64
	a       Allocation
	life    *lifetime
	freeing bool // its bytes do not count
}

// begin notes a block.
func (c *account) begin(b *block, t reflect.Type) {
	c.add(b, &b.lifetime, Allocation{Name: b.label, Type: t, Bytes: uint64(b.bytes)})
}

func (c *account) add(key any, life *lifetime, a Allocation) {
	if tracing.Load() {
		a.Where = where()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.alive == nil {
		c.alive = map[any]entry{}
	}
	c.alive[key] = entry{number: c.next, a: a, life: life}
	c.next++
	if a.Pinned {
		c.now.PinnedBuffers++
		c.now.PinnedBytes += a.Bytes
		return
	}
	c.now.Buffers++
	c.grow(a.Bytes)
}

// grow adds bytes of buffers. The caller holds the lock.
func (c *account) grow(bytes uint64) {
	c.now.Bytes += bytes
	c.now.Peak = max(c.now.Peak, c.now.Bytes)
}

// freeing notes that the driver is about to free a block, or could not. Before the call returns,
// another buffer may get the memory, which must not count twice.
func (c *account) freeing(b *block, is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.alive[b]
	if !ok || e.freeing == is {
		return
	}
	e.freeing = is
	c.alive[b] = e
	if is {
		c.now.Bytes -= e.a.Bytes
	} else {
		c.grow(e.a.Bytes)
	}
}

// end notes that a block, or pinned memory, was freed.
func (c *account) end(key any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.alive[key]
	if !ok {
		return
	}
	delete(c.alive, key)
	if e.a.Pinned {
		c.now.PinnedBuffers--
		c.now.PinnedBytes -= e.a.Bytes
		return
	}
	c.now.Buffers--
	if !e.freeing {
		c.now.Bytes -= e.a.Bytes
	}
}

// lost notes a buffer that was dropped without Close.
func (c *account) lost() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now.Lost++
}

func (c *account) usage() Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *account) list() []Allocation {
	c.mu.Lock()
	all := make([]entry, 0, len(c.alive))
	for _, e := range c.alive {
		e.a.Closed = e.life.isClosed()
		all = append(all, e)
	}
	c.mu.Unlock()
	slices.SortFunc(all, func(a, b entry) int { return int(int64(a.number) - int64(b.number)) })
	list := make([]Allocation, len(all))
	for i, e := range all {
		list[i] = e.a
	}
	return list
}

// where returns the first caller outside of this package.
func where() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !more || !isOurs(f.Function) {
			return fmt.Sprintf("%s:%d", f.File, f.Line)
		}
	}
}

// isOurs reports whether a function belongs to this package.
func isOurs(function string) bool {
	const path = "github.com/gpuevent/gpuevent/compute."
	return len(function) > len(path) && function[:len(path)] == path
}
