// Package eventexpvar publishes the figures of package event with package expvar. It is a package
// of its own, since expvar links an HTTP server, which package event does not need.
package eventexpvar

import (
	"expvar"

	"github.com/gpuevent/gpuevent/event"
)

// Publish publishes [event.Stats] as a variable, which /debug/vars shows as a JSON object with the
// devices' names as keys. Like expvar.Publish it must be called once for a name, and panics at the
// second call. What is counted on demand is 0 until [event.EnableStats] is called.
func Publish(name string) { expvar.Publish(name, expvar.Func(figures)) }

func figures() any {
	all := map[string]event.DeviceStats{}
	for _, s := range event.Stats() {
		all[s.Device] = s
	}
	return all
}
