//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

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
	for range 2 * segSlots {
		if _, err = own.Record(b); err != nil {
			break
		}
	}
	assert.ErrorIs(t, err, ErrIPCBusy, "a pending record is never forgotten")
	require.NoError(t, b.Close())
	require.NoError(t, a.Close())
	assert.False(t, isDone(t, p), "points outlive their events")
	g.Open()
	assert.NoError(t, p.Sync())
	assert.Nil(t, e1.ipc.owner, "the last pending record gives all back")
	assert.Nil(t, e2.ipc.owner)
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
	good, g := at()
	g.Open()
	bad, g := at()
	g.Fail(errTest)
	assert.Equal(t, errTest, q.Reset())
	for range segSlots + 1 {
		require.NoError(t, second(q.Record(a)))
	}
	assert.True(t, isDone(t, good))
	done, err := bad.Query()
	assert.True(t, done)
	assert.ErrorIs(t, err, ErrPeerFailed)
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
	e := New(Options{})
	_, d := shared(t, e)
	var open []*Event
	for range segOwners - 1 {
		ev, err := e.OpenEvent(d)
		require.NoError(t, err)
		open = append(open, ev)
	}
	_, err := e.OpenEvent(d)
	assert.ErrorIs(t, err, ErrIPCPeers)
	for _, ev := range open {
		require.NoError(t, ev.Close())
	}
	ev, err := e.OpenEvent(d)
	require.NoError(t, err)
	require.NoError(t, ev.Close())
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
	exported, err := hex.DecodeString(p.tell("export")) // its second event; the peer goes on with this one
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

	// The next user of shared events clears away what the dead left.
	dir := e.ipc.owner.dir
	parsed, err := ParseDescriptor(exported)
	require.NoError(t, err)
	next := New(Options{})
	_, _ = shared(t, next)
	assert.NoFileExists(t, segmentPath(dir, parsed.id()))
	_, err = e.OpenEvent(exported)
	assert.ErrorIs(t, err, ErrIPCGone)
}

func TestIPCFilesArePrivateAndRemoved(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	ev, _ := shared(t, e)
	dir, id, owner := e.ipc.owner.dir, ev.ipc.seg.id, e.ipc.owner.id
	for path, mode := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, segmentPath(dir, id): 0o600, ownerPath(dir, owner): 0o600} {
		st, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, mode, st.Mode(), filepath.Base(path))
	}
	require.NoError(t, ev.Close())
	assert.NoFileExists(t, segmentPath(dir, id))
	assert.NoFileExists(t, ownerPath(dir, owner))
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
		"version":     {edit(func(b []byte) []byte { b[8] = 2; return sum(b) }), ErrIPCVersion},
		"no such":     {edit(func(b []byte) []byte { b[20] ^= 1; return sum(b) }), ErrIPCGone},
	}
	for name, tt := range tests {
		_, err := e.OpenEvent(tt.b)
		assert.ErrorIs(t, err, tt.want, name)
		if tt.want != ErrIPCGone {
			assert.ErrorIs(t, err, ErrIPCDescriptor, name)
		}
	}
	assert.Equal(t, 1, e.ipc.users, "failed imports leave nothing behind")

	// A file of the right name that is no segment.
	dir := e.ipc.owner.dir
	for name, content := range map[string][]byte{"short": []byte("x"), "zero": make([]byte, segSize)} {
		d := newDescriptor(segmentID{15: byte(len(name))})
		path := segmentPath(dir, d.id())
		require.NoError(t, os.WriteFile(path, content, 0o600))
		_, err := e.OpenEvent(d[:])
		assert.ErrorIs(t, err, ErrIPCSegment, name)
		require.NoError(t, os.Remove(path))
	}
}

func TestSweepKeepsWhatIsInUse(t *testing.T) {
	t.Parallel()
	e := New(Options{})
	ev, d := shared(t, e)
	dir := e.ipc.owner.dir
	old, young := filepath.Join(dir, newPrefix+"test-old"), filepath.Join(dir, newPrefix+"test-young")
	for _, path := range []string{old, young} {
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	require.NoError(t, os.Chtimes(old, time.Time{}, time.Now().Add(-time.Hour)))
	sweep(dir)
	assert.NoFileExists(t, old)
	assert.FileExists(t, young)
	require.NoError(t, os.Remove(young))
	b, err := New(Options{}).OpenEvent(d)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	assert.Equal(t, Unrecorded, ev.State())
}

func FuzzParseDescriptor(f *testing.F) {
	d := newDescriptor(segmentID{1, 2, 3})
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
	})
}

func TestPrivateDir(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		prepare func(dir string) error
		ok      bool
	}{
		"absent":        {func(string) error { return nil }, true},
		"ours":          {func(dir string) error { return os.Mkdir(dir, 0o700) }, true},
		"open to all":   {func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o770)) }, false},
		"file":          {func(dir string) error { return os.WriteFile(dir, nil, 0o600) }, false},
		"symbolic link": {func(dir string) error { return os.Symlink(os.TempDir(), dir) }, false},
	} {
		root := t.TempDir()
		want := filepath.Join(root, "gpuevent-"+strconv.Itoa(os.Getuid()))
		require.NoError(t, tt.prepare(want), name)
		got, err := privateDir(root)
		if tt.ok {
			require.NoError(t, err, name)
			assert.Equal(t, want, got, name)
		} else {
			assert.ErrorContains(t, err, "is not a private folder", name)
		}
	}
	_, err := privateDir(filepath.Join(t.TempDir(), "absent"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// The rests of a process that ended at the worst of moments.
func TestSegmentAfterACrash(t *testing.T) {
	t.Parallel()
	const dead = 4711
	e := New(Options{})
	ev, _ := shared(t, e)
	s := ev.ipc.seg
	user, err := s.enter(dead)
	require.NoError(t, err)

	// A slot was taken, but the newest number not raised.
	s.slot(1).Store(slotWord(1, user, slotPending))
	assert.Equal(t, Unrecorded, ev.State())
	recordOn(t, newQueue(t, e), ev)
	assert.EqualValues(t, 2, ev.Generation())
	done, err := s.status(1)
	assert.True(t, done)
	assert.ErrorIs(t, err, ErrPeerDied)

	// Its records are in the way of new ones.
	for range segSlots {
		_, err := s.begin(user, slotPending)
		require.NoError(t, err)
	}
	last := s.seq()
	recordOn(t, newQueue(t, e), ev)
	assert.Equal(t, last+1, ev.Generation())

	// It holds all places. Making room ends its records.
	for i := range segOwners {
		s.user(i).CompareAndSwap(0, dead)
	}
	_, err = s.enter(ev.ipc.owner)
	require.NoError(t, err)
	_, _, state := slotParts(s.slot(last).Load())
	assert.Equal(t, slotDied, state)
	done, err = s.status(last)
	assert.True(t, done)
	assert.ErrorIs(t, err, ErrPeerDied)
}
