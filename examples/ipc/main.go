// Command ipc orders the work of two processes by an event: it starts itself again, the second
// process records the event, and this one waits for it. It needs a GPU.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// childVariable carries the device's name to the second process.
const childVariable = "GPUEVENT_EXAMPLE_IPC_DEVICE"

func main() {
	var err error
	if name := os.Getenv(childVariable); name != "" {
		var d *event.Device
		if d, err = event.Open(name); err == nil {
			err = child(d, os.Stdin, os.Stdout)
		}
	} else {
		err = start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ipc:", err)
		os.Exit(1)
	}
}

// start runs the example on the first device whose events can be shared.
func start() error {
	for _, d := range event.Devices() {
		if d.Capabilities().Has(event.CapIPC) {
			again := exec.Command(os.Args[0])
			again.Env = append(os.Environ(), childVariable+"="+d.String())
			return parent(d, again)
		}
	}
	return fmt.Errorf("no GPU here can share events between processes: %w", event.ErrUnsupported)
}

// parent creates the event, hands it over to the second process, cmd, and waits for it.
func parent(d *event.Device, cmd *exec.Cmd) error {
	e, err := d.NewEvent(event.WithIPC())
	if err != nil {
		return err
	}
	defer e.Close()
	descriptor, err := e.IPCDescriptor()
	if err != nil {
		return err
	}
	text, err := descriptor.MarshalText()
	if err != nil {
		return err
	}
	fmt.Printf("parent: created %v, starting a second process\n", e)

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(in, "%s\n", text); err != nil {
		return err
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return fmt.Errorf("the second process ended early: %w", err)
	}
	fmt.Println("parent: the second process has recorded the event; its state here is", e.State())
	if err := e.Wait(ctx); err != nil {
		return err
	}
	fmt.Println("parent: the work of the second process is done; the state is", e.State())
	if err := in.Close(); err != nil { // it may go now: the exporter's event outlives the imported one
		return err
	}
	return cmd.Wait()
}

// child imports the event and records it after some work of its own.
func child(d *event.Device, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Scan()
	var descriptor event.IPCDescriptor
	if err := descriptor.UnmarshalText(lines.Bytes()); err != nil {
		return err
	}
	e, err := d.ImportEvent(descriptor)
	if err != nil {
		return err
	}
	defer e.Close()
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	work := func() error { time.Sleep(200 * time.Millisecond); return nil }
	if err := s.HostFunc(work); err != nil {
		return err
	}
	if err := e.Record(s); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, "recorded"); err != nil {
		return err
	}
	lines.Scan() // until the other side is through
	return lines.Err()
}
