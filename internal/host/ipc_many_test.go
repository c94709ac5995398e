//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heap is the memory that is still in use after a collection.
func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// manyMain is a process that exports 200,000 events, 100,000 of them open at once, prints what that
// takes, and keeps some for others.
func manyMain() int {
	const all, alive, kept = 200_000, 100_000, 10_000
	e := New(Options{})
	check := func(err error) {
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	q, err := e.NewQueue(QueueOptions{NonBlocking: true})
	check(err)
	events := make([]*Event, alive)
	began, before := time.Now(), heap()
	for i := range all {
		if old := events[i%alive]; old != nil {
			check(old.Close())
		}
		events[i%alive], err = e.NewEvent(EventOptions{IPC: true})
		check(err)
		check(second(q.Record(events[i%alive])))
	}
	took := time.Since(began)
	d, err := events[0].Descriptor()
	check(err)
	m := arenas.own
	st, err := os.Stat(m.path)
	check(err)
	fmt.Printf("%d exported in %v: %d bytes of file and %d of heap each, %d mappings\n", all,
		took.Round(time.Millisecond), st.Size()/alive, (heap()-before)/alive, mapped(m))
	for i, ev := range events {
		if i >= kept {
			check(ev.Close())
			continue
		}
		d, err = ev.Descriptor()
		check(err)
		fmt.Println(hex.EncodeToString(d[:]))
	}
	var line string
	_, _ = fmt.Scanln(&line)
	for _, ev := range events[:kept] {
		check(ev.Close())
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(m.path), "*"))
	check(err)
	fmt.Println(len(left), "files left")
	return 0
}

func mapped(a *arena) int {
	n := 0
	for _, chunk := range *a.chunks.Load() {
		if chunk != nil {
			n++
		}
	}
	return n
}

func TestIPCManyEvents(t *testing.T) {
	t.Parallel()
	root := roots(t)[0]
	exporter := startPeer(t, "HOST_TEST_PEER=many", peerRoot+root)
	figures := exporter.hear()
	require.Contains(t, figures, "exported")
	t.Log(figures)
	p := &ipcProcess{roots: []string{root}}
	var blocks []*block
	began := time.Now()
	for range 10_000 {
		raw, err := hex.DecodeString(exporter.hear())
		require.NoError(t, err)
		d, err := ParseDescriptor(raw)
		require.NoError(t, err)
		a, err := p.find(d.location())
		require.NoError(t, err)
		b, err := openBlock(a, d.location().offset, d.location().key, a.token)
		require.NoError(t, err)
		require.Equal(t, slotDone, statusOf(b, b.key+1))
		_, _, err = b.begin(slotDone)
		require.NoError(t, err)
		blocks = append(blocks, b)
	}
	a := blocks[0].mem.(*arena)
	t.Logf("10000 imported in %v: %d mappings", time.Since(began).Round(time.Millisecond), mapped(a))
	assert.Len(t, p.open, 1)
	assert.Less(t, mapped(a), 20)
	assert.Equal(t, "0 files left", exporter.tell("end"))
	runtime.KeepAlive(blocks)
}

// hammerMain records an event, pending and done, as fast as it can, until it is killed.
func hammerMain() int {
	var line string
	_, _ = fmt.Scanln(&line)
	raw, err := hex.DecodeString(line)
	if err != nil {
		return 1
	}
	ev, err := New(Options{}).OpenEvent(raw)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("ok")
	b := ev.ipc.block
	type pending struct {
		seq uint64
		at  func(int)
	}
	var mine []pending
	for i := 0; ; i++ {
		as := i % 2
		seq, slot, err := b.begin(as)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		if as == slotPending {
			mine = append(mine, pending{seq, func(state int) { b.finish(seq, slot, state) }})
		}
		for len(mine) > rand.IntN(100) {
			p := mine[0]
			mine = mine[1:]
			state := slotDone // what it does is known from the number
			if p.seq%3 == 0 {
				state = slotFailed
			}
			p.at(state)
		}
	}
}

// Processes killed at any instruction leave an event that is as good as before, and no record that
// stays pending or reads as what it is not.
func TestIPCKilledAnywhere(t *testing.T) {
	t.Parallel()
	kills := 30
	if testing.Short() {
		kills = 10
	}
	e := New(Options{})
	ev, d := shared(t, e)
	b := ev.ipc.block
	outcomes := map[int]int{}
	from := b.key + 1
	for range kills {
		var peers []*peer
		for range 2 {
			p := startPeer(t, "HOST_TEST_PEER=hammer")
			p.say(hex.EncodeToString(d))
			peers = append(peers, p)
		}
		for _, p := range peers {
			require.Equal(t, "ok", p.hear())
		}
		for _, p := range peers {
			time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
			p.kill()
		}
		time.Sleep(2 * aliveFor)
		seq, slot, err := b.begin(slotPending)
		require.NoError(t, err)
		b.finish(seq, slot, slotDone)
		require.Equal(t, slotDone, statusOf(b, seq))
		for ; from < seq; from++ {
			if seq-from > 3000 && from%16 != 0 {
				continue
			}
			got := statusOf(b, from)
			outcomes[got]++
			require.NotEqual(t, slotPending, got)
			require.False(t, got == slotFailed && from%3 != 0, "record %d failed", from)
			full := b.w[blockRuns].Load() == maxRuns
			require.True(t, got > 0 || full, "record %d forgotten", from)
		}
		from++
	}
	t.Log(outcomes, "ring", b.head().ring(), "runs", b.w[blockRuns].Load())
	assert.Equal(t, strconv.Itoa(int(from-1-b.key)), strings.TrimSpace(fmt.Sprint(ev.Generation())))
}
