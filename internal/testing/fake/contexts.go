package fake

import (
	"fmt"
	"slices"
	"sync"
)

// Contexts plays the part of the CUDA driver that keeps a stack of contexts for each OS thread.
type Contexts struct {
	// Start is what a thread has that has done nothing, the current one last.
	Start []uintptr
	// Fail gives the result code of the calls that fail, by their place in the order of all calls.
	Fail map[int]int32

	mu      sync.Mutex
	threads map[uintptr][]uintptr
	dead    map[uintptr]bool
	log     []string
}

// invalidContext is CUDA_ERROR_INVALID_CONTEXT.
const invalidContext = 201

// Handle has a library call it.
func (c *Contexts) Handle(l *Library) {
	c.threads, c.dead = map[uintptr][]uintptr{}, map[uintptr]bool{}
	c.define(l, "cuCtxGetCurrent", "get", false, func(a Args, s []uintptr) ([]uintptr, int32) {
		a.Put64(0, top(s))
		return s, 0
	})
	c.define(l, "cuCtxSetCurrent", "set", true, func(a Args, s []uintptr) ([]uintptr, int32) {
		if c.dead[a[0]] {
			return s, invalidContext
		}
		s = s[:max(0, len(s)-1)]
		if a[0] != 0 {
			s = append(s, a[0])
		}
		return s, 0
	})
	c.define(l, "cuCtxPushCurrent_v2", "push", true, func(a Args, s []uintptr) ([]uintptr, int32) {
		if a[0] == 0 || c.dead[a[0]] {
			return s, invalidContext
		}
		return append(s, a[0]), 0
	})
	c.define(l, "cuCtxPopCurrent_v2", "pop", false, func(a Args, s []uintptr) ([]uintptr, int32) {
		if len(s) == 0 {
			return s, invalidContext
		}
		a.Put64(0, top(s))
		return s[:len(s)-1], 0
	})
	c.define(l, "cuCtxCreate_v2", "create", false, func(a Args, s []uintptr) ([]uintptr, int32) {
		made := uintptr(100 + len(c.log))
		a.Put64(0, made)
		return append(s, made), 0
	})
	c.define(l, "cuCtxDestroy_v2", "destroy", true, func(a Args, s []uintptr) ([]uintptr, int32) {
		if c.dead[a[0]] {
			return s, invalidContext
		}
		c.dead[a[0]] = true
		if top(s) == a[0] {
			s = s[:len(s)-1]
		}
		return s, 0
	})
}

func top(stack []uintptr) uintptr {
	if len(stack) == 0 {
		return 0
	}
	return stack[len(stack)-1]
}

// define gives a symbol a function that turns a thread's stack into the one after the call.
func (c *Contexts) define(l *Library, symbol, call string, named bool,
	f func(Args, []uintptr) ([]uintptr, int32)) {
	l.Handle(symbol, func(a Args) int32 {
		c.mu.Lock()
		defer c.mu.Unlock()
		text := call
		if named {
			text += fmt.Sprintf(" %d", a[0])
		}
		code := c.Fail[len(c.log)]
		if code == 0 {
			thread := ThreadID()
			stack, ok := c.threads[thread]
			if !ok {
				stack = slices.Clone(c.Start)
			}
			c.threads[thread], code = f(a, stack)
		}
		if code != 0 {
			text += fmt.Sprintf(" fails with %d", code)
		}
		c.log = append(c.log, text)
		return code
	})
}

// Log is the calls so far: "get", "push 2".
func (c *Contexts) Log() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.log)
}

// Threads counts the OS threads that made calls which did not fail.
func (c *Contexts) Threads() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.threads)
}

// Left are the stacks of threads that do not have what they had at first.
func (c *Contexts) Left() (left [][]uintptr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.threads {
		if !slices.Equal(s, c.Start) {
			left = append(left, slices.Clone(s))
		}
	}
	return left
}
