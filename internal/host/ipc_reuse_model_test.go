//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// The reference for one process: many goroutines use the same few events, make their records on
// queues of which many have failed or are about to, and close them, so that their memory is used
// again and again while points of earlier ones are held and records of others are being made. Every
// point's answer is known from its queue.
func TestIPCReuseModel(t *testing.T) {
	t.Parallel()
	steps := 3000
	if testing.Short() {
		steps = 1000
	}
	const workers, events, held = 8, 4, 64
	type known struct { // what a worker has recorded, and how it ends
		seq   uint64
		block *block
		want  int
	}
	e := New(Options{})
	made := func() *Event {
		ev, err := e.NewEvent(EventOptions{IPC: true})
		if err != nil {
			t.Error(err)
		}
		return ev
	}
	var all [events]atomic.Pointer[Event]
	for i := range all {
		all[i].Store(made())
	}
	var reused, failures atomic.Int64
	work := func(rnd *rand.Rand) {
		var facts []known
		check := func(k known) bool {
			if got := statusOf(k.block, k.seq); got != k.want {
				t.Errorf("record %d of block %#x reads %d, not %d", k.seq, k.block.offset, got, k.want)
				return false
			}
			return true
		}
		for range steps {
			i := rnd.IntN(events)
			ev := all[i].Load()
			if rnd.IntN(12) == 0 {
				if fresh := made(); all[i].CompareAndSwap(ev, fresh) {
					_ = ev.Close()
				} else {
					_ = fresh.Close()
				}
				reused.Add(1)
				continue
			}
			q, err := e.NewQueue(QueueOptions{NonBlocking: true})
			if err != nil {
				t.Error(err)
				return
			}
			want := slotDone
			g, err := q.Gate()
			if err != nil {
				t.Error(err)
				return
			}
			end := g.Open
			if rnd.IntN(3) > 0 {
				want, end = slotFailed, func() bool { return g.Fail(errTest) }
				failures.Add(1)
			}
			if rnd.IntN(2) == 0 { // at birth
				end()
			}
			var mine []uint64
			for range 1 + rnd.IntN(6) {
				gen, err := q.Record(ev)
				switch err {
				case nil:
					mine = append(mine, ev.ipc.block.key+gen)
				case ErrClosed:
				default:
					t.Error(err)
				}
			}
			end()
			for _, seq := range mine {
				facts = append(facts, known{seq, ev.ipc.block, want})
				if !check(facts[len(facts)-1]) {
					return
				}
			}
			if len(facts) > held {
				facts = facts[len(facts)-held:]
			}
			if len(facts) > 0 && !check(facts[rnd.IntN(len(facts))]) {
				return
			}
		}
	}
	var wg sync.WaitGroup
	seed := rand.Uint64()
	t.Log("seed", seed)
	for i := range workers {
		wg.Go(func() { work(rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	wg.Wait()
	for i := range all {
		_ = all[i].Load().Close()
	}
	t.Log(reused.Load(), "events,", failures.Load(), "failures")
}
