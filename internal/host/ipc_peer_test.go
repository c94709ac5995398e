//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// peerRoot, followed by a folder, makes a peer keep its files there.
const peerRoot = "HOST_TEST_ROOT="

// peerMain is the other process: it obeys the lines of its standard input and answers each with one
// line.
func peerMain(role string) int {
	if root := os.Getenv("HOST_TEST_ROOT"); root != "" {
		arenas.roots = []string{root}
	}
	switch role {
	case "actor":
		return actorMain()
	case "many":
		return manyMain()
	case "hammer":
		return hammerMain()
	}
	e := New(Options{Name: "peer"})
	q, err := e.NewQueue(QueueOptions{})
	if err != nil {
		return 2
	}
	var ev *Event
	var g *Gate
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		verb, arg, _ := strings.Cut(in.Text(), " ")
		answer := "ok"
		var err error
		switch verb {
		case "export":
			var d Descriptor
			if ev, err = e.NewEvent(EventOptions{IPC: true}); err == nil {
				d, err = ev.Descriptor()
			}
			answer = hex.EncodeToString(d[:])
		case "import":
			var b []byte
			if b, err = hex.DecodeString(arg); err == nil {
				ev, err = e.OpenEvent(b)
			}
		case "gate":
			g, err = q.Gate()
		case "open":
			g.Open()
		case "fail":
			g.Fail(errTest)
		case "record":
			_, err = q.Record(ev)
		case "wait":
			err = q.WaitEvent(ev)
		case "sync":
			err = q.Sync()
		case "event":
			err = ev.Sync()
		case "state":
			answer = fmt.Sprint(ev.State(), ev.Generation())
		case "close":
			err = ev.Close()
		case "sweep":
			arenas.sweep(arg)
		default:
			return 3
		}
		if err != nil {
			answer = "error " + err.Error()
		}
		fmt.Println(answer)
	}
	return 0
}

type peer struct {
	t   testing.TB
	cmd *exec.Cmd
	in  *bufio.Writer
	out *bufio.Scanner
}

func startPeer(t testing.TB, env ...string) *peer {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(append(os.Environ(), "HOST_TEST_PEER=1"), env...)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	return &peer{t, cmd, bufio.NewWriter(stdin), bufio.NewScanner(stdout)}
}

// say sends a line; hear returns the answer; tell does both.
func (p *peer) say(line string) {
	p.t.Helper()
	_, err := p.in.WriteString(line + "\n")
	require.NoError(p.t, err)
	require.NoError(p.t, p.in.Flush())
}

func (p *peer) hear() string {
	p.t.Helper()
	require.True(p.t, p.out.Scan(), "the other process has ended")
	return p.out.Text()
}

func (p *peer) tell(line string) string {
	p.t.Helper()
	p.say(line)
	return p.hear()
}

// kill ends the process as a crash would.
func (p *peer) kill() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Kill())
	_ = p.cmd.Wait()
}
