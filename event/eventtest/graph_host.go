package eventtest

import (
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/door"
	"github.com/gpuevent/gpuevent/internal/host"
)

// hostQueue returns the engine's queue of a stream of the host, on which a capture may begin from
// now on.
func hostQueue(s *event.Stream) *host.Queue {
	door.Captures(s)
	native, _ := door.Stream(s)
	return native.Host.(*host.Queue)
}
