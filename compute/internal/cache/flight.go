package cache

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
)

// flights are the compilations under way in this process, by key, so that goroutines that want one
// result compile it once.
type flights struct {
	mu  sync.Mutex
	now map[Key]*flight
}

// flight is one compilation. It ends early when nobody waits for it any more.
type flight struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int // guarded by flights.mu
	result  compiler.Result
	err     error
}

// do returns what f returns, or what the flight of the key returns that is under way. joined says
// which.
func (s *flights) do(ctx context.Context, k Key, f func(context.Context) (compiler.Result, error)) (
	r compiler.Result, joined bool, err error) {
	s.mu.Lock()
	fl := s.now[k]
	joined = fl != nil
	if !joined {
		fl = s.start(ctx, k, f)
	}
	fl.waiting++
	s.mu.Unlock()
	select {
	case <-fl.done:
	case <-ctx.Done():
	}
	s.mu.Lock()
	if fl.waiting--; fl.waiting == 0 {
		fl.cancel()
		if s.now[k] == fl { // who comes later does not join what was cancelled
			delete(s.now, k)
		}
	}
	s.mu.Unlock()
	select {
	case <-fl.done:
		return copyOf(fl.result), joined, fl.err
	default:
		return r, joined, ctx.Err()
	}
}

// start begins a flight. The caller holds the lock. Of the context it takes the values; its end is
// that of one waiter only.
func (s *flights) start(ctx context.Context, k Key,
	f func(context.Context) (compiler.Result, error)) *flight {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	fl := &flight{done: make(chan struct{}), cancel: cancel}
	if s.now == nil {
		s.now = map[Key]*flight{}
	}
	s.now[k] = fl
	go func() {
		fl.result, fl.err = f(ctx)
		s.mu.Lock()
		if s.now[k] == fl {
			delete(s.now, k)
		}
		s.mu.Unlock()
		close(fl.done)
	}()
	return fl
}

// copyOf shares no memory that a caller may change.
func copyOf(r compiler.Result) compiler.Result {
	r.Image, r.Lowered = slices.Clone(r.Image), maps.Clone(r.Lowered)
	return r
}
