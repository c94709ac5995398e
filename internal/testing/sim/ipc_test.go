package sim

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

const childVariable = "GPUEVENT_SIM_TEST_CHILD"

func needIPC(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("processes share no events on this system")
	}
}

// ipcAPI is what the tests need of an API, with events as words.
type ipcAPI struct {
	install func(*Machine) func()
	create  func() (uintptr, error)
	stream  func() (uintptr, error)
	record  func(e, s uintptr) error
	query   func(e uintptr) error
	sync    func(e uintptr) error
	destroy func(e uintptr) error
	get     func(e uintptr) ([64]byte, error)
	open    func([64]byte) (uintptr, error)
}

var ipcAPIs = map[string]ipcAPI{
	"cuda": {
		install: func(m *Machine) func() {
			restore := m.InstallCUDA("12.4")
			c, err := cudrv.Context(0), cudrv.Init(0)
			if err == nil {
				c, err = cudrv.DevicePrimaryCtxRetain(0)
			}
			if err == nil {
				err = cudrv.CtxSetCurrent(c)
			}
			if err != nil {
				panic(err)
			}
			return restore
		},
		create:  func() (uintptr, error) { e, err := cudrv.EventCreate(6); return uintptr(e), err },
		stream:  func() (uintptr, error) { s, err := cudrv.StreamCreate(1); return uintptr(s), err },
		record:  func(e, s uintptr) error { return cudrv.EventRecord(cudrv.Event(e), cudrv.Stream(s)) },
		query:   func(e uintptr) error { return cudrv.EventQuery(cudrv.Event(e)) },
		sync:    func(e uintptr) error { return cudrv.EventSynchronize(cudrv.Event(e)) },
		destroy: func(e uintptr) error { return cudrv.EventDestroy(cudrv.Event(e)) },
		get: func(e uintptr) ([64]byte, error) {
			h, err := cudrv.IpcGetEventHandle(cudrv.Event(e))
			return h.Reserved, err
		},
		open: func(b [64]byte) (uintptr, error) {
			e, err := cudrv.IpcOpenEventHandle(cudrv.IpcEventHandle{Reserved: b})
			return uintptr(e), err
		},
	},
	"hip": {
		install: func(m *Machine) func() { return m.InstallHIP("7.2") },
		create: func() (uintptr, error) {
			e, err := hip.EventCreateWithFlags(6)
			return uintptr(e), err
		},
		stream: func() (uintptr, error) {
			s, err := hip.StreamCreateWithFlags(1)
			return uintptr(s), err
		},
		record:  func(e, s uintptr) error { return hip.EventRecord(hip.Event(e), hip.Stream(s)) },
		query:   func(e uintptr) error { return hip.EventQuery(hip.Event(e)) },
		sync:    func(e uintptr) error { return hip.EventSynchronize(hip.Event(e)) },
		destroy: func(e uintptr) error { return hip.EventDestroy(hip.Event(e)) },
		get: func(e uintptr) ([64]byte, error) {
			h, err := hip.IpcGetEventHandle(hip.Event(e))
			return h.Reserved, err
		},
		open: func(b [64]byte) (uintptr, error) {
			e, err := hip.IpcOpenEventHandle(hip.IpcEventHandle{Reserved: b})
			return uintptr(e), err
		},
	},
}

func TestIPCRefusals(t *testing.T) {
	needIPC(t)
	for name, a := range ipcAPIs {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			m := NewMachine(Options{})
			defer a.install(m)()
			code := func(err error) int32 {
				if r, ok := bare(err).(hip.Result); ok {
					return int32(r)
				}
				r, _ := bare(err).(cudrv.Result)
				return int32(r)
			}
			e, err := a.create()
			require.NoError(t, err)
			b, err := a.get(e)
			require.NoError(t, err)
			again, err := a.get(e)
			require.NoError(t, err)
			assert.Equal(t, b, again)
			assert.EqualValues(t, invalidContext, code(second(a.open(b))), "of this very process")
			assert.EqualValues(t, invalidValue, code(second(a.open([64]byte{1, 2, 3}))), "garbage")
			b[30]++
			assert.EqualValues(t, invalidValue, code(second(a.open(b))), "damaged")
			require.NoError(t, a.destroy(e))
			if name == "hip" {
				plain := hipEvent(t, 0)
				assert.ErrorIs(t, second(hip.IpcGetEventHandle(plain)), hip.ErrInvalidConfiguration)
				return
			}
			assert.ErrorIs(t, second(cudrv.IpcGetEventHandle(cudaEvent(t, 0))), cudrv.ErrInvalidHandle)
		})
	}
}

func TestIPCInOneProcessOnDemand(t *testing.T) {
	needIPC(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	a := ipcAPIs["hip"]
	m := NewMachine(Options{SameProcessIPC: true})
	defer a.install(m)()
	e, err := a.create()
	require.NoError(t, err)
	b, err := a.get(e)
	require.NoError(t, err)
	copied, err := a.open(b)
	require.NoError(t, err)
	s, err := a.stream()
	require.NoError(t, err)
	g := m.Gate(s)
	require.NoError(t, a.record(copied, s))
	assert.Equal(t, hip.ErrNotReady, a.query(e))
	g.Open()
	assert.NoError(t, a.sync(e))
	require.NoError(t, a.destroy(copied))
	require.NoError(t, a.destroy(e))
}

// The parent records behind a gate and the child sees it; then the child does and the parent sees
// it.
func TestIPCBetweenProcesses(t *testing.T) {
	needIPC(t)
	if name := os.Getenv(childVariable); name != "" {
		ipcChild(name)
		return
	}
	for name, a := range ipcAPIs {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			m := NewMachine(Options{})
			defer a.install(m)()
			e, err := a.create()
			require.NoError(t, err)
			s, err := a.stream()
			require.NoError(t, err)
			b, err := a.get(e)
			require.NoError(t, err)
			g := m.Gate(s)
			require.NoError(t, a.record(e, s))

			child := exec.Command(os.Args[0], "-test.run=^TestIPCBetweenProcesses$")
			child.Env = append(os.Environ(), childVariable+"="+name)
			child.Stderr = os.Stderr
			in, err := child.StdinPipe()
			require.NoError(t, err)
			out, err := child.StdoutPipe()
			require.NoError(t, err)
			if err := child.Start(); errors.Is(err, syscall.ENOEXEC) {
				t.Skip("an emulator that starts no processes of its kind runs this test")
			} else {
				require.NoError(t, err)
			}
			lines := bufio.NewScanner(out)
			hear := func() string {
				require.True(t, lines.Scan(), "the child ended")
				return lines.Text()
			}
			say := func(s string) { _, err := fmt.Fprintln(in, s); require.NoError(t, err) }

			say(hex.EncodeToString(b[:]))
			assert.Equal(t, "query 600", hear())
			g.Open()
			assert.Equal(t, "synced", hear())
			assert.Equal(t, "recorded", hear())
			assert.Error(t, a.query(e), "the child holds it")
			say("open")
			assert.NoError(t, a.sync(e))
			say("end")
			assert.Equal(t, "bye", hear())
			assert.NoError(t, child.Wait())
			require.NoError(t, a.destroy(e))
		})
	}
}

func ipcChild(name string) {
	runtime.LockOSThread()
	must := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, "child:", err)
			os.Exit(2)
		}
	}
	a, m := ipcAPIs[name], NewMachine(Options{})
	defer a.install(m)()
	lines := bufio.NewScanner(os.Stdin)
	lines.Scan()
	raw, err := hex.DecodeString(strings.TrimSpace(lines.Text()))
	must(err)
	e, err := a.open([64]byte(raw))
	must(err)
	switch err := bare(a.query(e)).(type) {
	case cudrv.Result:
		fmt.Println("query", int32(err))
	case hip.Result:
		fmt.Println("query", int32(err))
	}
	must(a.sync(e))
	fmt.Println("synced")
	s, err := a.stream()
	must(err)
	g := m.Gate(s)
	must(a.record(e, s))
	fmt.Println("recorded")
	lines.Scan()
	g.Open()
	lines.Scan()
	must(a.destroy(e))
	fmt.Println("bye")
	os.Exit(0)
}
