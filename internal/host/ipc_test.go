//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func shared(t testing.TB, e *Engine) (*Event, []byte) {
	t.Helper()
	ev, err := e.NewEvent(EventOptions{IPC: true})
	require.NoError(t, err)
	t.Cleanup(func() { _ = ev.Close() })
	d, err := ev.Descriptor()
	require.NoError(t, err)
	return ev, d[:]
}

func TestIPCOptions(t *testing.T) {
	t.Parallel()
	e, _ := manual()
	_, err := e.NewEvent(EventOptions{IPC: true, Timing: true})
	assert.ErrorIs(t, err, ErrIPCTiming)
	assert.ErrorIs(t, second(newEvent(t, e).Descriptor()), ErrNotIPC)

	ev, d := shared(t, e)
	assert.True(t, ev.IPC())
	assert.False(t, ev.Imported())
	parsed, err := ParseDescriptor(d)
	require.NoError(t, err)
	assert.True(t, parsed.Local())
	assert.Equal(t, os.Getpid(), parsed.PID())

	imported, err := e.OpenEvent(d)
	require.NoError(t, err)
	assert.True(t, imported.Imported())
	assert.ErrorIs(t, second(imported.Descriptor()), ErrIPCImported)
	recordOn(t, newQueue(t, e), ev)
	assert.ErrorIs(t, second(Elapsed(ev, imported)), ErrTimingDisabled)
	require.NoError(t, imported.Close())
	require.NoError(t, ev.Close())
	assert.ErrorIs(t, second(ev.Descriptor()), ErrClosed)
	assert.Equal(t, Closed, ev.State())
	_, err = e.OpenEvent(d)
	assert.ErrorIs(t, err, ErrIPCGone)
}

func TestIPCWithinOneProcess(t *testing.T) {
	t.Parallel()
	e1, e2 := New(Options{}), New(Options{})
	a, d := shared(t, e1)
	b, err := e2.OpenEvent(d)
	require.NoError(t, err)
	q1, q2 := newQueue(t, e1), newQueue(t, e2)
	assert.Equal(t, Unrecorded, b.State())
	done, err := b.Query()
	assert.True(t, done)
	assert.NoError(t, err)
	assert.NoError(t, b.Sync())

	for i, dir := range []struct {
		from, to   *Event
		fromQ, toQ *Queue
	}{{a, b, q1, q2}, {b, a, q2, q1}} {
		g := gate(t, dir.fromQ)
		require.NoError(t, second(dir.fromQ.Record(dir.from)))
		assert.Equal(t, Pending, dir.to.State())
		assert.EqualValues(t, i+1, dir.to.Generation())
		assert.Equal(t, dir.from.Generation(), dir.to.Generation())
		require.NoError(t, dir.toQ.WaitEvent(dir.to))
		p, err := dir.to.Point()
		require.NoError(t, err)
		m, err := dir.toQ.Mark()
		require.NoError(t, err)
		assert.False(t, isDone(t, m))
		g.Open()
		assert.True(t, isDone(t, p), "query needs no poller")
		require.NoError(t, m.Sync())
		require.NoError(t, dir.to.Sync())
		<-p.Done()
	}
	require.NoError(t, b.Close())
}

func TestIPCWaitsKeepTheirPoint(t *testing.T) {
	t.Parallel()
	e1, e2 := New(Options{}), New(Options{})
	a, d := shared(t, e1)
	b, err := e2.OpenEvent(d)
	require.NoError(t, err)
	q := newQueue(t, e1)
	g := gate(t, q)
	require.NoError(t, second(q.Record(a)))
	p, err := b.Point()
	require.NoError(t, err)
	own := newQueue(t, e2)
	require.NoError(t, second(own.Record(b))) // complete at once
	assert.Equal(t, Done, b.State())
	assert.Equal(t, Done, a.State(), "the exporter sees the newer record")
	assert.False(t, isDone(t, p))
	for range 2000 { // a pending record is never forgotten, nor in the way
		require.NoError(t, second(own.Record(b)))
	}
	assert.False(t, isDone(t, p))
	require.NoError(t, b.Close())
	require.NoError(t, a.Close())
	assert.False(t, isDone(t, p), "points outlive their events")
	g.Open()
	assert.NoError(t, p.Sync())
}

func TestIPCOldRecordsKeepTheirOutcome(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	a, d := shared(t, e)
	b, err := New(Options{}).OpenEvent(d)
	require.NoError(t, err)
	defer func() { _ = b.Close() }()
	q := newQueue(t, e)
	at := func() (Point, *Gate) {
		g, err := q.Gate()
		require.NoError(t, err)
		require.NoError(t, second(q.Record(a)))
		p, err := b.Point()
		require.NoError(t, err)
		return p, g
	}
	var points []Point
	failed := func(i int) bool { return i%5 == 1 || i%7 == 2 }
	for i := range 1500 {
		p, g := at()
		points = append(points, p)
		if failed(i) {
			g.Fail(errTest)
			assert.Equal(t, errTest, q.Reset())
		} else {
			g.Open()
		}
	}
	wrong := 0
	for i, p := range points {
		done, err := p.Query()
		assert.True(t, done)
		if failed(i) != errors.Is(err, ErrPeerFailed) || !failed(i) && err != nil {
			wrong++
		}
	}
	assert.Zero(t, wrong, "of %d outcomes", len(points))
}

func TestIPCRemoteWaitEndsWithTheDevice(t *testing.T) {
	t.Parallel()
	e1, e2 := New(Options{}), New(Options{})
	a, d := shared(t, e1)
	b, err := e2.OpenEvent(d)
	require.NoError(t, err)
	q := newQueue(t, e1)
	g := gate(t, q)
	require.NoError(t, second(q.Record(a)))
	p, err := b.Point()
	require.NoError(t, err)
	e2.Fail(errTest)
	assert.Equal(t, errTest, p.Sync())
	assert.Equal(t, Pending, a.State())
	g.Open()
	require.NoError(t, b.Close())
}

func TestIPCManyRecorders(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	a, d := shared(t, e)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			e := New(Options{})
			b, err := e.OpenEvent(d)
			if !assert.NoError(t, err) {
				return
			}
			q, _ := e.NewQueue(QueueOptions{})
			for range 500 {
				if _, err := q.Record(b); err != nil {
					t.Error(err)
				}
			}
			assert.NoError(t, b.Close())
		})
	}
	wg.Wait()
	assert.EqualValues(t, 2000, a.Generation(), "every record has a number of its own")
	assert.Equal(t, Done, a.State())
}

func TestIPCManyUsers(t *testing.T) {
	t.Parallel()
	_, d := shared(t, New(Options{}))
	for range 1000 {
		ev, err := New(Options{}).OpenEvent(d)
		require.NoError(t, err)
		defer func() { assert.NoError(t, ev.Close()) }()
	}
}

func TestIPCTwoProcesses(t *testing.T) {
	t.Parallel()
	for _, exporter := range []string{"parent", "child"} {
		for _, recorder := range []string{"parent", "child"} {
			t.Run(exporter+" exports, "+recorder+" records", func(t *testing.T) {
				t.Parallel()
				e := New(Options{})
				ev, d := shared(t, e)
				p := startPeer(t)
				if exporter == "parent" {
					require.Equal(t, "ok", p.tell("import "+hex.EncodeToString(d)))
				} else {
					b, err := hex.DecodeString(p.tell("export"))
					require.NoError(t, err)
					parsed, err := ParseDescriptor(b)
					require.NoError(t, err)
					assert.False(t, parsed.Local())
					assert.Equal(t, p.cmd.Process.Pid, parsed.PID())
					ev, err = e.OpenEvent(b)
					require.NoError(t, err)
				}
				require.Equal(t, "Unrecorded 0", p.tell("state"))
				q := newQueue(t, e)
				for gen := 1; gen <= 3; gen++ {
					if recorder == "parent" {
						g := gate(t, q)
						require.NoError(t, second(q.Record(ev)))
						require.Equal(t, "Pending "+string(rune('0'+gen)), p.tell("state"))
						require.Equal(t, "ok", p.tell("wait"))
						p.say("event")
						p.say("sync")
						g.Open()
						require.Equal(t, "ok", p.hear())
						require.Equal(t, "ok", p.hear())
						require.Equal(t, "Done "+string(rune('0'+gen)), p.tell("state"))
					} else {
						require.Equal(t, "ok", p.tell("gate"))
						require.Equal(t, "ok", p.tell("record"))
						require.Equal(t, Pending, ev.State())
						require.NoError(t, q.WaitEvent(ev))
						done, err := q.Query()
						require.NoError(t, err)
						require.False(t, done)
						p.say("open")
						require.NoError(t, q.Sync())
						require.NoError(t, ev.Sync())
						require.Equal(t, Done, ev.State())
						require.Equal(t, "ok", p.hear())
					}
				}
				require.NoError(t, ev.Close())
				require.Equal(t, "ok", p.tell("close"))
			})
		}
	}
}

func TestIPCPeerFails(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	ev, d := shared(t, e)
	p := startPeer(t)
	require.Equal(t, "ok", p.tell("import "+hex.EncodeToString(d)))
	require.Equal(t, "ok", p.tell("gate"))
	require.Equal(t, "ok", p.tell("record"))
	q := newQueue(t, e)
	require.NoError(t, q.WaitEvent(ev))
	require.Equal(t, "ok", p.tell("fail"))
	assert.ErrorIs(t, q.Sync(), ErrPeerFailed)
	assert.ErrorIs(t, ev.Sync(), ErrPeerFailed)
	assert.Equal(t, Failed, ev.State())
}

func TestIPCPeerDies(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	ev, d := shared(t, e)
	p := startPeer(t)
	require.Equal(t, "ok", p.tell("import "+hex.EncodeToString(d)))
	exported, err := hex.DecodeString(p.tell("export")) // the peer goes on with this one
	require.NoError(t, err)
	other, err := e.OpenEvent(exported)
	require.NoError(t, err)
	defer func() { _ = other.Close() }()
	require.Equal(t, "ok", p.tell("record"))
	require.Equal(t, "ok", p.tell("import "+hex.EncodeToString(d)))
	require.Equal(t, "ok", p.tell("gate"))
	require.Equal(t, "ok", p.tell("record"))
	q := newQueue(t, e)
	require.NoError(t, q.WaitEvent(ev))
	waiting, err := ev.Point()
	require.NoError(t, err)
	assert.False(t, isDone(t, waiting))
	p.kill()
	assert.ErrorIs(t, q.Sync(), ErrPeerDied)
	assert.ErrorIs(t, waiting.Sync(), ErrPeerDied)
	assert.Equal(t, Failed, ev.State())
	assert.Equal(t, Done, other.State(), "what was complete stays complete")
	recordOn(t, newQueue(t, e), ev)
	assert.Equal(t, Done, ev.State(), "the event itself is as good as before")

	// What is open goes on; what is not can't be opened any more, whether or not its file is there.
	require.Equal(t, Done, other.State())
	fresh := startPeer(t)
	assert.Contains(t, fresh.tell("import "+hex.EncodeToString(exported)), ErrIPCGone.Error())
	recordOn(t, newQueue(t, e), other)
	assert.Equal(t, Done, other.State())
}

func TestIPCSweepAfterADeath(t *testing.T) {
	t.Parallel()
	root := peerRoot + roots(t)[0]
	dead, live, importer := startPeer(t, root), startPeer(t, root), startPeer(t, root)
	d, other := dead.tell("export"), live.tell("export")
	require.Equal(t, "ok", importer.tell("import "+d))
	require.Equal(t, "ok", dead.tell("record"))
	path := func(d string) string {
		raw, err := hex.DecodeString(d)
		require.NoError(t, err)
		l := Descriptor(raw).location()
		dir, _ := l.place.folder([]string{strings.TrimPrefix(root, peerRoot)})
		return arenaPath(dir, l.arena)
	}
	require.FileExists(t, path(d))
	dead.kill()
	require.Equal(t, "ok", live.tell("sweep "+filepath.Dir(path(d))))
	assert.NoFileExists(t, path(d))
	assert.FileExists(t, path(other), "its exporter lives")
	assert.Equal(t, "Done 1", importer.tell("state"), "what is open goes on")
	assert.Equal(t, "ok", importer.tell("record"))
	assert.Equal(t, "Done 2", importer.tell("state"))
}

// pathOf is the file of a shared event.
func pathOf(t testing.TB, d Descriptor) string {
	t.Helper()
	dir, ok := d.location().place.folder(arenas.roots)
	require.True(t, ok)
	return arenaPath(dir, d.location().arena)
}

func TestIPCFilesArePrivateAndRemoved(t *testing.T) {
	t.Parallel()
	p := startPeer(t) // its only event
	raw, err := hex.DecodeString(p.tell("export"))
	require.NoError(t, err)
	path := pathOf(t, Descriptor(raw))
	for path, mode := range map[string]os.FileMode{
		filepath.Dir(path): 0o700 | os.ModeDir,
		path:               0o600,
	} {
		st, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, mode, st.Mode(), filepath.Base(path))
	}
	require.Equal(t, "ok", p.tell("gate"))
	require.Equal(t, "ok", p.tell("record"))
	require.Equal(t, "ok", p.tell("close"))
	assert.FileExists(t, path, "a record is pending")
	require.Equal(t, "ok", p.tell("open"))
	assert.NoFileExists(t, path)
}

func TestDescriptorErrors(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	_, good := shared(t, e)
	edit := func(f func(b []byte) []byte) []byte { return f(append([]byte(nil), good...)) }
	sum := func(b []byte) []byte {
		binary.LittleEndian.PutUint32(b[descSum:], crc32.ChecksumIEEE(b[:descSum]))
		return b
	}
	tests := map[string]struct {
		b    []byte
		want error
	}{
		"nil":         {nil, ErrIPCLength},
		"truncated":   {good[:63], ErrIPCLength},
		"oversized":   {append(good[:64:64], 0), ErrIPCLength},
		"zero":        {make([]byte, 64), ErrIPCForeign},
		"text":        {[]byte(strings.Repeat("garbage.", 8)), ErrIPCForeign},
		"flipped bit": {edit(func(b []byte) []byte { b[20] ^= 1; return b }), ErrIPCCorrupt},
		"version":     {edit(func(b []byte) []byte { b[8] = 1; return sum(b) }), ErrIPCVersion},
		"no such":     {edit(func(b []byte) []byte { b[20] ^= 1; return sum(b) }), ErrIPCGone},
	}
	for name, tt := range tests {
		_, err := e.OpenEvent(tt.b)
		assert.ErrorIs(t, err, tt.want, name)
		if tt.want != ErrIPCGone {
			assert.ErrorIs(t, err, ErrIPCDescriptor, name)
		}
	}

	// A file of the right name that is no arena.
	l := Descriptor(good).location()
	for name, content := range map[string][]byte{
		"short": []byte("x"),
		"zero":  make([]byte, minChunk),
	} {
		d := newDescriptor(location{arena: arenaID{15: byte(len(name))}, place: l.place})
		require.NoError(t, os.WriteFile(pathOf(t, d), content, 0o600))
		_, err := e.OpenEvent(d[:])
		assert.ErrorIs(t, err, ErrIPCSegment, name)
		require.NoError(t, os.Remove(pathOf(t, d)))
	}

	// Places in the arena that are no events.
	for name, l := range map[string]location{
		"header":     {l.arena, 0, 0, l.place},
		"odd":        {l.arena, l.offset + 1, l.key, l.place},
		"within":     {l.arena, l.offset + 8, l.key, l.place},
		"unused":     {l.arena, minChunk - blockWords*8, 0, l.place},
		"at the end": {l.arena, minChunk - 8, 0, l.place},
		"far away":   {l.arena, 1 << 62, 0, l.place},
	} {
		d := newDescriptor(l)
		_, err := e.OpenEvent(d[:])
		assert.ErrorIs(t, err, ErrIPCSegment, name)
	}
	d := newDescriptor(location{l.arena, l.offset, l.key + 1, l.place})
	_, err := e.OpenEvent(d[:])
	assert.ErrorIs(t, err, ErrIPCGone, "another event in the same place")
	d = newDescriptor(location{arenaID{1}, l.offset, l.key, place{root: 99}})
	_, err = e.OpenEvent(d[:])
	assert.ErrorIs(t, err, ErrIPCDescriptor, "unknown folder")
}

func FuzzParseDescriptor(f *testing.F) {
	d := newDescriptor(location{arena: arenaID{1, 2, 3}, offset: 4, key: 5, place: place{6, 7}})
	f.Add(d[:])
	f.Add(d[:40])
	f.Add([]byte(strings.Repeat("x", 64)))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := ParseDescriptor(b)
		if err != nil {
			assert.ErrorIs(t, err, ErrIPCDescriptor)
			return
		}
		assert.Equal(t, b, d[:])
		again := newDescriptor(d.location())
		assert.Equal(t, d.location(), again.location())
	})
}
