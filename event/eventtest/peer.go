package eventtest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gpuevent/gpuevent/event"
)

// ServePeer is the other process of the IPC behaviours. It follows the commands in the lines of in,
// answers each with a line on out, and returns when in ends. A [Target]'s Peer runs it.
func ServePeer(d *event.Device, in io.Reader, out io.Writer) error {
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	p := &served{device: d, stream: s}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		verb, argument, _ := strings.Cut(lines.Text(), " ")
		answer, err := p.obey(verb, argument)
		if err != nil {
			answer = "refused: " + cause(err)
		}
		fmt.Fprintln(out, answer)
	}
	return lines.Err()
}

// served holds the objects of the other process.
type served struct {
	device *event.Device
	stream *event.Stream
	event  *event.Event
	open   func()
}

func (p *served) obey(verb, argument string) (string, error) {
	const ok = "ok"
	switch verb {
	case "import":
		var d event.IPCDescriptor
		err := d.UnmarshalText([]byte(argument))
		if err == nil {
			p.event, err = p.device.ImportEvent(d)
		}
		return ok, err
	case "export":
		var err error
		if p.event, err = p.device.NewEvent(event.WithIPC()); err != nil {
			return "", err
		}
		d, err := p.event.IPCDescriptor()
		if err != nil {
			return "", err
		}
		text, err := d.MarshalText()
		return string(text), err
	case "gate":
		c := make(chan struct{})
		p.open = func() { close(c) }
		return ok, p.stream.HostFunc(func() error { <-c; return nil })
	case "open":
		p.open()
		return ok, nil
	case "pending":
		e, err := p.device.NewEvent()
		if err == nil {
			if _, err = p.obey("gate", ""); err == nil {
				err = e.Record(p.stream)
			}
			go e.Wait(context.Background()) //nolint:errcheck // never returns
			e.Done()
		}
		return ok, err
	case "order":
		return ok, p.stream.WaitEvent(p.event)
	case "stream":
		done, err := p.stream.IsDone()
		return fmt.Sprint(done), err
	case "streamsync":
		return ok, p.stream.Sync()
	}
	return p.obeyEvent(verb)
}

func (p *served) obeyEvent(verb string) (string, error) {
	const ok = "ok"
	e := p.event
	switch verb {
	case "attributes":
		return fmt.Sprintf("device=%v timing=%v ipc=%v recorded=%v",
			strings.TrimPrefix(e.Device().String(), "device "), e.IsTimingEnabled(), e.IsIPCEnabled(),
			e.IsRecorded()), nil
	case "descriptor":
		_, err := e.IPCDescriptor()
		return ok, err
	case "elapsed":
		_, err := e.Sub(e)
		return ok, err
	case "done":
		done, err := e.IsDone()
		return fmt.Sprint(done), err
	case "wait":
		return ok, e.Wait(context.Background())
	case "sync":
		return ok, e.Sync()
	case "record":
		return ok, e.Record(p.stream)
	case "close":
		return ok, e.Close()
	}
	return "", fmt.Errorf("there is no %q", verb)
}

// cause returns a short name of an error.
func cause(err error) string {
	var e *event.Error
	if errors.As(err, &e) {
		return e.Cause.Error()
	}
	return strings.ReplaceAll(err.Error(), "\n", " ")
}

// peer is the other process, as the tests use it.
type peer struct {
	k   *kit
	in  io.WriteCloser
	out *bufio.Scanner
	end func()
}

func startPeer(k *kit) *peer {
	k.t.Helper()
	cmd := k.Peer()
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	k.NoError(err)
	out, err := cmd.StdoutPipe()
	k.NoError(err)
	k.NoError(cmd.Start())
	p := &peer{k: k, in: in, out: bufio.NewScanner(out)}
	ended := false
	p.end = func() {
		if !ended {
			ended = true
			k.NoError(in.Close())
			k.NoError(cmd.Wait(), "the other process must end well")
		}
	}
	k.t.Cleanup(p.end)
	return p
}

func (p *peer) say(line string) {
	p.k.t.Helper()
	_, err := io.WriteString(p.in, line+"\n")
	p.k.NoError(err)
}

// hear wants this answer to the last command.
func (p *peer) hear(want string) {
	p.k.t.Helper()
	p.k.Equal(want, p.answer())
}

func (p *peer) answer() string {
	p.k.t.Helper()
	p.k.True(p.out.Scan(), "the other process has ended")
	return p.out.Text()
}

// tell sends a command and returns the answer; ask wants a certain answer.
func (p *peer) tell(line string) string {
	p.k.t.Helper()
	p.say(line)
	return p.answer()
}

func (p *peer) ask(line, want string) {
	p.k.t.Helper()
	p.k.Equal(want, p.tell(line), line)
}
