package eventtest

import (
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/host"
	"github.com/gpuevent/gpuevent/internal/native"
)

// hostQueue returns the engine's queue of a stream of the host, on which a capture may begin from
// now on.
func hostQueue(s *event.Stream) *host.Queue {
	n := native.StreamOf(s)
	n.Export()
	return n.Object.Host.(*host.Queue)
}
