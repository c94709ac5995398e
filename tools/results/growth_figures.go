package main

import "github.com/gpuevent/gpuevent/tools/results/plot"

// grown is how a figure of tools/growth is drawn and explained.
type grown struct {
	title, x, alt, text string
	y                   map[string]plot.Axis // by panel
	rest                plot.Axis            // of the other panels
	wide                bool                 // the x axis has room for numbers
	perObject           bool                 // also draw the values divided by the number
	tail                string               // the panel whose 99th percentiles are drawn too
}

// axis is that of the numbers.
func (g grown) axis() plot.Axis {
	return plot.Axis{Label: g.x, Log: true, Tight: true, Wide: g.wide}
}

// of is the y axis of a panel.
func (g grown) of(panel string) plot.Axis {
	if y, ok := g.y[panel]; ok {
		return y
	}
	return g.rest
}

// figures are those of tools/growth.
var figures = map[string]grown{
	"events": {
		title: "What an event costs among many",
		x:     "events",
		alt:   "Cost of an event over the number of events, from 1 to 1,000,000",
		rest:  plot.Axis{Label: "time per event", Unit: plot.Nanoseconds, Log: true},
		y: map[string]plot.Axis{
			"memory of an open event": {Label: "heap per event", Unit: plot.Bytes, Log: true},
		},
		text: `All of these should be flat, but for two steps. A run creates n events, records and
			queries each on an idle stream, and closes them; times are wall time per event. An event
			among the newest 64 needs no cleanup by the garbage collector, so fewer than that are
			created more cheaply. Up to 1,024 native events of closed events are kept for a moment for
			the next ones. With fewer, creating one makes no driver call, and package event is cheaper
			than the calls to the simulator alone; with more, an event takes a native one, in its
			context. To record and query is mostly the simulator's work in both of its lines.

			Closing, which does little but touch the event, rises once between some ten thousand and a
			hundred thousand events and is flat again. That fits the processor's caches, which hold no
			more of them; it was not counted.

			Memory is the heap after garbage collections with n recorded events open, of the whole
			process but for the caller's pointers. The simulator's own events are on that heap.`,
	},
	"streams": {
		title: "What it costs to wait for many streams",
		x:     "streams that are waited for",
		alt:   "Processor time, driver queries and wake-up latency over the number of streams",
		wide:  true,
		tail:  "wake-up latency",
		y: map[string]plot.Axis{
			"processor while waiting": {Label: "of a core", Unit: plot.Percent, Log: true},
			"driver queries":          {Label: "queries per second", Log: true},
			"wake-up latency":         {Label: "median", Unit: plot.Nanoseconds, Log: true},
		},
		text: `Goroutines wait for an event on each of n streams whose work does not end. The poller
			queries each about once a millisecond, so its cost may be linear, until it takes a tenth
			of a processor and rests. *The simulator alone* is what as many queries take through
			cudrv: the product of two figures. The host has no poller.

			For the latency, one of the streams has work of 2 to 8 ms, again and again, at random. It
			ends by a call in the same process, from which the time counts. It should not depend on
			how many other streams are stuck, until the poller rests.`,
	},
	"waiters": {
		title:     "How long until all waiters are awake",
		x:         "waiters",
		alt:       "Time until all waiters are awake over their number, from 1 to 400,000",
		rest:      plot.Axis{Label: "until the last is awake", Unit: plot.Nanoseconds, Log: true},
		perObject: true,
		text: `From the end of the work until the last of n waiters is awake. The time should be
			linear in n, and flat per waiter, once it is longer than the wake-up latency of a single
			one, which is up to a millisecond where the driver is polled. On the left, n goroutines are
			in Event.Wait for one event. On the right, one goroutine receives from the Done channels of
			n events of one stream. *Go alone* is what the same takes with channels that a goroutine
			closes, one for all or one for each: what the runtime takes to wake so many. For goroutines
			that alone grows faster than linearly.`,
	},
}
