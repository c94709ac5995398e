//go:build linux

package event_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/battery"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// peerVariable makes the test binary the other process, with a device of that backend.
const peerVariable = "GPUEVENT_TEST_IPC_PEER"

// station is one process's part: a stream that can be held up, and an event.
type station struct {
	r    *rig
	d    *event.Device
	s    *event.Stream
	e    *event.Event
	open func()
}

func newStation(b event.Backend) *station {
	r := newRig(newest(b), sim.Options{})
	d := r.device(0)
	return &station{r: r, d: d, s: obtain(d.NewStream())}
}

// do obeys one command.
func (st *station) do(command string) (answer string, err error) {
	defer func() {
		if f, ok := recover().(battery.Failure); ok {
			err = f.Err
		}
	}()
	verb, argument, _ := strings.Cut(command, " ")
	switch verb {
	case "export":
		st.e = obtain(st.d.NewEvent(event.WithIPC(), event.WithBlockingSync()))
		return string(obtain(json.Marshal(obtain(st.e.IPCDescriptor())))), nil
	case "import":
		var d event.IPCDescriptor
		ensure(json.Unmarshal([]byte(argument), &d))
		st.e = obtain(st.d.ImportEvent(d))
		if !st.e.IsIPCEnabled() || st.e.IsTimingEnabled() || !st.e.IsBlockingSync() ||
			st.e.Device() != nil {
			return "", errors.New("the imported event is not what it should be")
		}
	case "hold":
		st.open = st.r.m.Gate(natives.Word(st.s)).Open
	case "open":
		st.open()
	case "record":
		ensure(st.e.Record(st.s))
	case "done":
		return fmt.Sprint(obtain(st.e.IsDone())), nil
	case "state":
		return st.e.State().String(), nil
	case "wait":
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		ensure(st.e.Wait(ctx))
	case "sync":
		ensure(st.e.Sync())
	case "follow": // the stream waits for the event
		ensure(st.s.WaitEvent(st.e))
	case "idle":
		return fmt.Sprint(obtain(st.s.IsDone())), nil
	case "close":
		ensure(st.e.Close())
	case "live":
		return fmt.Sprint(st.r.live().Events), nil
	}
	return "", nil
}

// TestIPCPeer is the other process's main function; as a test of its own it does nothing.
func TestIPCPeer(t *testing.T) {
	b := event.Backend(os.Getenv(peerVariable))
	if b == "" {
		return
	}
	st := newStation(b)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		answer, err := st.do(in.Text())
		if err != nil {
			answer = "error " + strings.ReplaceAll(err.Error(), "\n", "; ")
		}
		fmt.Printf("answer:%s\n", answer)
	}
}

// remote is the other process as this one sees it.
type remote struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Scanner
}

func startRemote(t *testing.T, b event.Backend) *remote {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestIPCPeer$", "-test.timeout=60s")
	c.Env = append(os.Environ(), peerVariable+"="+string(b), endAtOnce)
	c.Stderr = os.Stderr
	in := obtain(c.StdinPipe())
	out := obtain(c.StdoutPipe())
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = in.Close()
		assert.NoError(t, c.Wait())
	})
	return &remote{t, in, bufio.NewScanner(out)}
}

func (p *remote) send(command string) {
	p.t.Helper()
	_, err := fmt.Fprintln(p.in, command)
	require.NoError(p.t, err)
}

func (p *remote) receive() string {
	p.t.Helper()
	for p.out.Scan() {
		if answer, ok := strings.CutPrefix(p.out.Text(), "answer:"); ok {
			require.False(p.t, strings.HasPrefix(answer, "error "), answer)
			return answer
		}
	}
	require.Fail(p.t, "the other process has ended", p.out.Err())
	return ""
}

func (p *remote) do(command string) (string, error) {
	p.send(command)
	return p.receive(), nil
}

// party is either process.
type party interface {
	do(command string) (string, error)
}

// TestIPCBetweenProcesses has one process export and another import, in both directions, and either
// record.
func TestIPCBetweenProcesses(t *testing.T) {
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		for _, here := range []string{"exports", "imports"} {
			t.Run(fmt.Sprintf("%s/this process %s", b, here), func(t *testing.T) {
				peer := startRemote(t, b)
				st := newStation(b)
				defer func() {
					require.NoError(t, st.s.Close())
					assert.True(t, eventually(func() bool { return st.r.live().Events+st.r.live().Streams == 0 }))
					assert.Empty(t, st.r.m.Misuse())
					st.r.remove()
				}()
				exporter, importer := party(st), party(peer)
				if here == "imports" {
					exporter, importer = peer, st
				}
				say := func(p party, command string) string {
					t.Helper()
					answer, err := p.do(command)
					require.NoError(t, err, command)
					return answer
				}
				descriptor := say(exporter, "export")
				say(importer, "import "+descriptor)
				assert.Equal(t, "true", say(importer, "done"), "never recorded")

				for _, pair := range [][2]party{{exporter, importer}, {importer, exporter}} {
					recorder, watcher := pair[0], pair[1]
					say(recorder, "hold")
					say(recorder, "record")
					assert.Equal(t, "false", say(watcher, "done"))
					assert.Equal(t, "Pending", say(watcher, "state"))
					say(watcher, "follow")
					assert.Equal(t, "false", say(watcher, "idle"))
					if recorder == party(st) { // the peer waits while this process opens
						peer.send("wait")
						say(st, "open")
						peer.receive()
					} else {
						waited := make(chan error, 1)
						go func() { _, err := st.do("wait"); waited <- err }()
						peer.send("open")
						peer.receive()
						require.NoError(t, <-waited)
					}
					assert.Equal(t, "true", say(watcher, "done"))
					say(watcher, "sync")
					say(recorder, "sync")
					assert.True(t, eventually(func() bool { return say(watcher, "idle") == "true" }))
				}
				say(importer, "close")
				say(exporter, "close")
				assert.True(t, eventually(func() bool { return say(peer, "live") == "0" }))
			})
		}
	}
}

// TestForeignDescriptors gives ImportEvent what it must refuse, each with its own error and without
// a handle left.
func TestForeignDescriptors(t *testing.T) {
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		t.Run(string(b), func(t *testing.T) {
			st := newStation(b)
			defer func() { require.NoError(t, st.s.Close()) }()
			defer st.r.remove()
			e := obtain(st.d.NewEvent(event.WithIPC()))
			good := obtain(obtain(e.IPCDescriptor()).MarshalBinary())
			for name, bytes := range map[string][]byte{
				"empty": {}, "truncated": good[:len(good)-1], "half": good[:len(good)/2],
				"oversized": append(append([]byte{}, good...), 0),
				"garbage":   []byte(strings.Repeat("x", len(good))), "damaged": flipped(good, 20),
				"checksum": flipped(good, len(good)-1),
			} {
				var d event.IPCDescriptor
				assert.ErrorIs(t, d.UnmarshalBinary(bytes), event.ErrInvalidDescriptor, name)
				assert.Zero(t, d, name)
				_, err := st.d.ImportEvent(d)
				assert.ErrorIs(t, err, event.ErrInvalidDescriptor, name)
			}
			for _, other := range []event.Backend{event.Host, event.CUDA, event.HIP} {
				var d event.IPCDescriptor
				require.NoError(t, d.UnmarshalBinary(ofBackend(good, other)))
				_, err := st.d.ImportEvent(d)
				if other != b {
					assert.ErrorIs(t, err, event.ErrBackendMismatch)
					continue
				}
				var failed *event.DriverError // drivers refuse what their own process exported
				require.ErrorAs(t, err, &failed)
				assert.Contains(t, failed.Call, "IpcOpenEventHandle")
			}
			var d event.IPCDescriptor
			require.NoError(t, d.UnmarshalBinary(ofBackend(good, event.Host)))
			_, err := obtain(event.Open("host")).ImportEvent(d)
			assert.ErrorIs(t, err, event.ErrUnsupported)
			require.NoError(t, e.Close())
			// AMD destroys it aside: see amd-ipc-destroy-waits.
			assert.True(t, eventually(func() bool { return st.r.live().Events == 0 }))
		})
	}
}

func flipped(b []byte, at int) []byte {
	c := append([]byte{}, b...)
	c[at] ^= 0x40
	return c
}

// ofBackend is a binary descriptor as another backend would have made it.
func ofBackend(descriptor []byte, b event.Backend) []byte {
	c := flipped(descriptor, 0)
	c[0] ^= 0x40
	c[4] = map[event.Backend]byte{event.CUDA: 1, event.HIP: 2, event.Host: 3}[b]
	body := len(c) - 4
	binary.LittleEndian.PutUint32(c[body:], crc32.ChecksumIEEE(c[:body]))
	return c
}
