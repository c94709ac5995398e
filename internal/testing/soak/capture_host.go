package soak

import (
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/host"
	"github.com/gpuevent/gpuevent/internal/native"
)

// hostQueue returns the engine's queue of a stream of the host, on which a capture may begin.
func hostQueue(s *event.Stream) *host.Queue {
	n := native.StreamOf(s)
	n.Export()
	return n.Object.Host.(*host.Queue)
}

// endOnHost ends a capture on the host and launches the graph.
func (c *session) endOnHost() error {
	w, q := c.w, hostQueue(c.so)
	g, err := q.EndCapture()
	if err != nil || w.graphs.Add(1) > mostGraphs {
		return err
	}
	for range 1 + w.n(3) {
		w.raws("launch", c.dev, g.Launch(q))
	}
	return nil
}
