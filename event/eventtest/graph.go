package eventtest

import (
	"errors"
	"runtime"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/host"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
)

// captureMode says whose queries a capture forbids. The numbers are those of both vendors. The host
// has one mode: the queries of the captured streams.
type captureMode int

const (
	global      captureMode = 0 // those of all threads
	threadLocal captureMode = 1 // those of its own thread
	relaxed     captureMode = 2 // none
)

// capture is one in progress on a stream.
type capture struct {
	k     *kit
	s     *event.Stream
	ended bool
}

// capture begins a capture. One in global mode keeps the goroutine on its thread until the capture
// ends.
func (k *kit) capture(s *event.Stream, mode captureMode) *capture {
	k.t.Helper()
	if mode == global {
		runtime.LockOSThread()
		k.t.Cleanup(runtime.UnlockOSThread)
	}
	k.raw(func() error {
		switch k.Device.Backend() {
		case event.Host:
			return hostQueue(s).BeginCapture()
		case event.CUDA:
			return cudrv.StreamBeginCapture(cudrv.Stream(natives.Word(s)), cudrv.StreamCaptureMode(mode))
		}
		return hip.StreamBeginCapture(hip.Stream(natives.Word(s)), hip.StreamCaptureMode(mode))
	})
	c := &capture{k: k, s: s}
	k.t.Cleanup(func() {
		if !c.ended {
			c.end()
		}
	})
	return c
}

// graph is a captured one.
type graph struct {
	k    *kit
	cuda cudrv.GraphExec
	hip  hip.GraphExec
	host *host.Graph
}

// end ends the capture, which must still be valid, and makes the graph ready for launch.
func (c *capture) end() *graph {
	k := c.k
	k.t.Helper()
	c.ended = true
	g := &graph{k: k}
	k.raw(g.finish(c.s))
	k.t.Cleanup(func() { k.raw(g.destroy) })
	return g
}

// finish ends the capture on s and instantiates the graph.
func (g *graph) finish(s *event.Stream) func() error {
	switch g.k.Device.Backend() {
	case event.Host:
		return func() (err error) {
			g.host, err = hostQueue(s).EndCapture()
			return err
		}
	case event.CUDA:
		return func() error {
			template, err := cudrv.StreamEndCapture(cudrv.Stream(natives.Word(s)))
			if err != nil {
				return err
			}
			g.cuda, err = cudrv.GraphInstantiateWithFlags(template, 0)
			return errors.Join(err, cudrv.GraphDestroy(template))
		}
	}
	return func() error {
		template, err := hip.StreamEndCapture(hip.Stream(natives.Word(s)))
		if err != nil {
			return err
		}
		g.hip, _, err = hip.GraphInstantiate(template, nil, 0)
		return errors.Join(err, hip.GraphDestroy(template))
	}
}

func (g *graph) destroy() error {
	switch g.k.Device.Backend() {
	case event.Host: // collected when nothing refers to it
		return nil
	case event.CUDA:
		return cudrv.GraphExecDestroy(g.cuda)
	}
	return hip.GraphExecDestroy(g.hip)
}

func (g *graph) launch(s *event.Stream) {
	g.k.t.Helper()
	g.k.raw(func() error {
		switch g.k.Device.Backend() {
		case event.Host:
			return g.host.Launch(hostQueue(s))
		case event.CUDA:
			return cudrv.GraphLaunch(g.cuda, cudrv.Stream(natives.Word(s)))
		}
		return hip.GraphLaunch(g.hip, hip.Stream(natives.Word(s)))
	})
}

// raw makes calls of the bindings, or of the host's engine, on the device.
func (k *kit) raw(f func() error) {
	k.t.Helper()
	switch k.Device.Backend() {
	case event.Host:
		k.NoError(k.Device.Do(f))
		return
	case event.CUDA:
		context, err := k.Device.Context()
		k.NoError(err)
		k.NoError(cudrv.Context(context).Do(f))
		return
	}
	k.NoError(hip.Device(k.Device.Ordinal()).Do(f))
}
