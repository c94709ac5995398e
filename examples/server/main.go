// Command server answers HTTP requests with work on a device. A handler waits with its request's
// context: when the client goes away it stops waiting, and no thread is held meanwhile.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

func main() {
	address := flag.String("address", "127.0.0.1:8080", "where to listen")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *address, event.Default()); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

// run serves until the context ends.
func run(ctx context.Context, address string, d *event.Device) error {
	h, err := newHandler(d, 4, work)
	if err != nil {
		return err
	}
	defer h.close()
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("Work on %v (%s): http://%v\n", d, d.Name(), l.Addr())
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Second}
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() {
		patience, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		stopped <- server.Shutdown(patience)
	})
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}

// work stands for kernels that are launched on the stream.
func work(s *event.Stream) error {
	return s.HostFunc(func() error { time.Sleep(50 * time.Millisecond); return nil })
}
