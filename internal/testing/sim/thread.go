package sim

import "sync"

// thread is what a driver keeps per OS thread.
type thread struct {
	id uint64

	mu         sync.Mutex // other threads read the fields
	stack      []*context // CUDA: the current context is the last; a nil one means that none is
	device     int        // HIP
	mode       captureMode
	lastError  code // HIP
	inCallback int  // inside a host function of a stream
}

// threads finds the state of a thread, spread so that many threads don't queue for one lock.
type threads [64]struct {
	mu sync.RWMutex
	m  map[uint64]*thread
}

// thread returns the state of the calling OS thread.
func (f *face) thread() *thread {
	id := threadID()
	shard := &f.driver.threads[id%uint64(len(threads{}))]
	shard.mu.RLock()
	t := shard.m[id]
	shard.mu.RUnlock()
	if t != nil {
		return t
	}
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if t = shard.m[id]; t == nil {
		if shard.m == nil {
			shard.m = map[uint64]*thread{}
		}
		t = &thread{id: id}
		shard.m[id] = t
	}
	return t
}

func (d *driver) eachThread(visit func(*thread)) {
	for i := range d.threads {
		shard := &d.threads[i]
		shard.mu.RLock()
		all := make([]*thread, 0, len(shard.m))
		for _, t := range shard.m {
			all = append(all, t)
		}
		shard.mu.RUnlock()
		for _, t := range all {
			t.mu.Lock()
			visit(t)
			t.mu.Unlock()
		}
	}
}

// current returns the context on top of the thread's stack, nil if none.
func (t *thread) current() *context {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.stack); n > 0 {
		return t.stack[n-1]
	}
	return nil
}

func (t *thread) setCurrent(c *context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.stack)
	switch {
	case n > 0 && c == nil:
		t.stack = t.stack[:n-1]
	case n > 0:
		t.stack[n-1] = c
	case c != nil:
		t.stack = append(t.stack, c)
	}
}

func (t *thread) push(c *context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stack = append(t.stack, c)
}

func (t *thread) pop() *context {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.stack)
	if n == 0 {
		return nil
	}
	c := t.stack[n-1]
	t.stack = t.stack[:n-1]
	return c
}

func (t *thread) hipDevice() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.device
}

func (t *thread) captureMode() captureMode {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mode
}

func (t *thread) calledBack() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inCallback > 0
}
