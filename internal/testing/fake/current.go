package fake

import (
	"fmt"
	"sync"
)

// Current plays the part of a driver that keeps one current object for each OS thread: CUDA's
// context, HIP's device. Its methods are C functions for [Library.Handle].
type Current struct {
	// Start is what is current on a thread that has set nothing.
	Start uintptr
	// Fail gives the result code of the calls that fail, by their place in the order of all calls.
	Fail map[int]int32

	mu      sync.Mutex
	threads map[uintptr]uintptr
	log     []string
	used    map[uintptr]bool
}

// begin notes a call, and which code it fails with.
func (c *Current) begin(call string) (thread uintptr, code int32) {
	thread = ThreadID()
	if c.threads == nil {
		c.threads, c.used = map[uintptr]uintptr{}, map[uintptr]bool{}
	}
	c.used[thread] = true
	code = c.Fail[len(c.log)]
	if code != 0 {
		call += fmt.Sprintf(" fails with %d", code)
	}
	c.log = append(c.log, call)
	return thread, code
}

func (c *Current) on(thread uintptr) uintptr {
	if v, ok := c.threads[thread]; ok {
		return v
	}
	return c.Start
}

// Get32 is a C function that returns the current object, an int.
func (c *Current) Get32(a Args) int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	thread, code := c.begin("get")
	if code == 0 {
		a.Put32(0, int32(c.on(thread)))
	}
	return code
}

// Set is a C function that makes an object current.
func (c *Current) Set(a Args) int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	thread, code := c.begin(fmt.Sprintf("set %d", a[0]))
	if code == 0 {
		c.threads[thread] = a[0]
	}
	return code
}

// Log is the calls so far: "get", "set 2".
func (c *Current) Log() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.log...)
}

// Threads counts the OS threads that made calls.
func (c *Current) Threads() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.used)
}

// Left are the objects that are current somewhere and not Start.
func (c *Current) Left() []uintptr {
	c.mu.Lock()
	defer c.mu.Unlock()
	var left []uintptr
	for _, v := range c.threads {
		if v != c.Start {
			left = append(left, v)
		}
	}
	return left
}
