//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The reference: what every record of every event is, and who made it.
type modelEvent struct {
	name     string
	desc     string
	exporter int
	closed   bool // by its exporter
	died     bool // its exporter
	open     map[int]bool
	records  []modelRecord // record n is at n-1
}

type modelRecord struct {
	actor int
	state string
}

type model struct {
	t      *testing.T
	rnd    *rand.Rand
	actors []modelActor
	events []*modelEvent
	named  int
	ops    map[string]int
}

type modelActor struct {
	tell  func(string) string
	peer  *peer           // nil for one in this process
	known map[string]bool // the points it keeps, by event and generation
}

func (m *model) start(peer bool) modelActor {
	if !peer {
		a := newActor()
		m.t.Cleanup(a.end)
		return modelActor{a.tell, nil, map[string]bool{}}
	}
	p := startPeer(m.t, "HOST_TEST_PEER=actor")
	return modelActor{p.tell, p, map[string]bool{}}
}

func (m *model) tell(actor int, verb string, ev *modelEvent, arg ...any) string {
	m.ops[verb]++
	line := verb + " " + ev.name
	for _, a := range arg {
		line += fmt.Sprint(" ", a)
	}
	return m.actors[actor].tell(line)
}

// step does one thing and checks the answer.
func (m *model) step() {
	t := m.t
	actor := m.rnd.IntN(len(m.actors))
	if len(m.events) < 3 {
		m.named++
		ev := &modelEvent{name: fmt.Sprint("e", m.named), exporter: actor}
		ev.open = map[int]bool{actor: true}
		ev.desc = m.tell(actor, "export", ev)
		require.Len(t, ev.desc, 2*DescriptorSize, ev.desc)
		m.events = append(m.events, ev)
		return
	}
	i := m.rnd.IntN(len(m.events))
	ev := m.events[i]
	if !ev.open[actor] {
		want := "ok"
		if ev.closed || ev.died {
			want = "error " + ErrIPCGone.Error()
		}
		got := m.tell(actor, "import", ev, ev.desc)
		require.True(t, strings.HasPrefix(got, want), got)
		if want == "ok" {
			ev.open[actor] = true
		} else if len(ev.open) == 0 {
			m.events = append(m.events[:i], m.events[i+1:]...)
		}
		return
	}
	switch what := m.rnd.IntN(100); {
	case what < 45:
		m.record(actor, ev)
	case what < 65:
		m.finish(actor, ev)
	case what < 80:
		m.look(actor, ev)
	case what < 96:
		m.ask(actor)
	case what < 99:
		require.Equal(t, "ok", m.tell(actor, "close", ev))
		delete(ev.open, actor)
		if ev.exporter == actor {
			ev.closed = true
		}
	case m.actors[actor].peer != nil:
		m.die(actor)
	}
}

func (m *model) record(actor int, ev *modelEvent) {
	verb, state := "record", "Pending"
	if m.rnd.IntN(2) == 0 {
		verb, state = "done", "Done"
	}
	for range 1 + m.rnd.IntN(12) {
		got := m.tell(actor, verb, ev)
		if ev.closed {
			require.Equal(m.t, "error "+ErrIPCGone.Error(), got)
			return
		}
		ev.records = append(ev.records, modelRecord{actor, state})
		require.Equal(m.t, strconv.Itoa(len(ev.records)), got)
		if m.rnd.IntN(3) == 0 {
			m.look(actor, ev)
		}
	}
}

func (m *model) finish(actor int, ev *modelEvent) {
	for i := range ev.records {
		r := &ev.records[i]
		if r.actor != actor || r.state != "Pending" || m.rnd.IntN(4) == 0 {
			continue
		}
		verb, state := "open", "Done"
		if m.rnd.IntN(3) == 0 {
			verb, state = "fail", "Failed"
		}
		require.Equal(m.t, "ok", m.tell(actor, verb, ev, i+1))
		r.state = state
	}
}

func (m *model) look(actor int, ev *modelEvent) {
	got := m.tell(actor, "look", ev)
	if ev.closed && got == "0 "+ErrIPCGone.Error() {
		return // its memory is another's
	}
	n := len(ev.records)
	if n == 0 {
		require.Equal(m.t, "0 Unrecorded", got)
		return
	}
	require.Equal(m.t, fmt.Sprint(n, " ", ev.records[n-1].state), got)
	m.actors[actor].known[fmt.Sprint(ev.name, ":", n)] = true
}

// ask queries an arbitrary old record.
func (m *model) ask(actor int) {
	for key := range m.actors[actor].known {
		name, n, _ := strings.Cut(key, ":")
		i, err := strconv.Atoi(n)
		require.NoError(m.t, err)
		for _, ev := range m.events {
			if ev.name == name {
				require.Equal(m.t, ev.records[i-1].state, m.tell(actor, "ask", ev, n), key)
				return
			}
		}
	}
}

// die kills a process and puts another in its place.
func (m *model) die(actor int) {
	m.ops["die"]++
	m.actors[actor].peer.kill()
	time.Sleep(2 * aliveFor) // nobody counts it as alive any more
	m.actors[actor] = m.start(true)
	for _, ev := range m.events {
		delete(ev.open, actor)
		ev.died = ev.died || ev.exporter == actor
		for i := range ev.records {
			if r := &ev.records[i]; r.actor == actor && r.state == "Pending" {
				r.state = ErrPeerDied.Error()
			}
		}
	}
}

func TestIPCModel(t *testing.T) {
	t.Parallel()
	steps := 4000
	if testing.Short() {
		steps = 1000
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	m := &model{t: t, rnd: rand.New(rand.NewPCG(seed, 0)), ops: map[string]int{}}
	for i := range 4 {
		m.actors = append(m.actors, m.start(i >= 2))
	}
	for range steps {
		m.step()
	}
	for _, ev := range m.events { // nothing known is ever wrong in the end
		for actor := range m.actors {
			for n, r := range ev.records {
				if m.actors[actor].known[fmt.Sprint(ev.name, ":", n+1)] {
					require.Equal(t, r.state, m.tell(actor, "ask", ev, n+1))
				}
			}
			if ev.open[actor] {
				require.Equal(t, "ok", m.tell(actor, "close", ev))
			}
		}
	}
	t.Log(m.ops)
}
