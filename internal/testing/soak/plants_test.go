package soak

// Findings that several plants share.
const (
	saysHang    = `^hang: |stays? open`
	saysEarly   = `closed gate`
	saysCrash   = `^a real driver would have crashed|calls that would have crashed|dead handles`
	saysLeak    = `^leak: handles are left`
	saysOrder   = `^a function given to OnDone ran before one that was given earlier`
	saysInvalid = `ErrInvalidHandle|ErrContextIsDestroyed`
	saysCapture = `^a capture in mode \d on .* was ended by somebody`
)

// profileHeard is that of a runtime where a query of an event ends the capture of its stream.
const profileHeard = "cuda-13.5,hip-7.2.0"

// plants are the bugs that the soak must find.
var plants = []plant{
	{
		name: "lost wake-up of WaitAny", form: Plain, says: `^hang: goroutine \d+ is in WaitAny`,
		file: "completion.go",
		old:  "\tfor _, a := range alarms {\n\t\ta.ring()\n\t}\n",
		new:  "\tclear(alarms)\n",
	},
	{
		name: "Close does not wait for the holder of the lock", form: Plain,
		says: saysCrash + `|` + saysInvalid + `|` + saysLeak,
		file: "event.go",
		old:  "\tif !e.rec.free() {",
		new:  "\tif false {",
	},
	{
		name: "lock taken although the event is closed", form: Plain,
		says: saysCrash + `|` + saysInvalid + `|` + saysLeak + `|succeeded after Close`,
		file: "record.go",
		old:  "\tif l.closed() {\n",
		new:  "\tif false {\n",
	},
	{
		name: "lost wake-up of who came during a record", form: Plain,
		says: saysHang + `|` + saysOrder,
		file: "event_record.go",
		old:  "\tif e.waiting.Load() != nil {\n\t\te.armWaiting()\n\t}\n",
		new:  "",
	},
	{
		name: "missing exchange of the handle", form: Plain,
		says: saysHang + `|` + saysEarly + `|` + saysOrder,
		file: "event_record.go",
		old:  "\tcase h.Watchers.Load() == 0 && !(moves && h.InUse()):\n",
		new:  "\tcase !(moves && h.InUse()):\n",
	},
	{
		name: "leaked handle", form: Plain, says: saysLeak,
		file: "event_record.go",
		old:  "\te.mu.Unlock()\n\twas.CloseAsync()\n",
		new:  "\te.mu.Unlock()\n",
	},
	{
		name: "leaked relay", form: Plain, says: saysLeak,
		file: "../internal/native/relay.go",
		old:  "\tif !done || !d.relays.put(r) {\n\t\tr.close()\n\t}\n",
		new:  "\tif done {\n\t\td.relays.put(r)\n\t}\n",
	},
	{
		name: "dropped objects not destroyed", form: Plain, profile: "cuda-13.5", says: saysLeak,
		file: "../internal/native/event.go",
		old:  "func (e *Event) Dropped() {\n\tif e.shut() {\n",
		new:  "func (e *Event) Dropped() {\n\tif e.Is(Foreign) && e.shut() {\n",
	},
	{
		name: "stale done", form: Plain, says: saysEarly,
		file: "waiting.go",
		old:  "\tfor {\n\t\tknown := e.done.Load()\n",
		new:  "\trec, _ = e.rec.read()\n\tfor {\n\t\tknown := e.done.Load()\n",
	},
	{
		name: "dropped callback", form: Plain,
		says: `^hang: a function given to OnDone did not (run|happen)|` + saysOrder,
		file: "dispatch.go",
		old:  "\tfor _, f := range callbacks {\n",
		new:  "\tfor _, f := range callbacks[1:] {\n",
	},
	{
		name: "channel of a failed record left open", form: Kill,
		says: `^hang: a channel of Done is open`,
		file: "completion.go",
		old:  "\tclose(c.done)\n",
		new:  "\tif c.mu.Lock(); err == nil || c.users > 0 {\n\t\tclose(c.done)\n\t}\n\tc.mu.Unlock()\n",
	},
	{
		name: "callbacks in the wrong order", form: Plain,
		says: saysOrder,
		file: "dispatch.go",
		old:  "\t\tqueue = append(queue, func() { f(err) })\n",
		new:  "\t\tqueue = append([]func(){func() { f(err) }}, queue...)\n",
	},
	{
		name: "native object used after it was closed", form: Plain, says: saysCrash + `|` + saysInvalid,
		file: "../internal/native/uses.go",
		old:  "\t\tif s&flag != 0 {\n",
		new:  "\t\tif false {\n",
	},
	{
		name: "native event destroyed while it is used", form: Plain,
		says: saysCrash + `|` + saysInvalid + `|` + saysHang,
		file: "../internal/native/event.go",
		old:  "\tif e.claim() {\n",
		new:  "\tif e.claim(); true {\n",
	},
	{
		name: "pooled event that still keeps its last stream", form: Plain,
		says: saysLeak + `|` + saysHang,
		file: "../internal/native/event.go",
		old:  "\treturn joinLater(err, e.leaveStream())\n",
		new:  "\tif !e.mayReuse() {\n\t\terr = joinLater(err, e.leaveStream())\n\t}\n\treturn err\n",
	},
	{
		name: "pooled event queried before its first record", form: Plain,
		says: saysCrash,
		file: "completion.go",
		old:  "\tif c.reached {\n",
		new:  "\tif c.reached && false {\n",
	},
	{
		name: "stream not pinned by its events", form: Plain, says: saysCrash,
		file: "../internal/native/stream.go",
		old:  "\tif s.claim() {\n",
		new:  "\tif s.claim() || s.Device.Info.Traits.EventsNeedStream {\n",
	},
	{
		name: "double destroy", form: Plain,
		says: saysCrash + `|^the error handler heard: destroy .*ErrInvalidHandle`,
		file: "../internal/native/uses.go",
		old: "\t\tif s&usesClosed != 0 {\n\t\t\treturn false\n\t\t}\n" +
			"\t\tif u.state.CompareAndSwap(s, s|usesClosed|usesDisposing) {\n",
		new: "\t\tif u.state.CompareAndSwap(s, s|usesClosed|usesDisposing) {\n",
	},
	{
		name: "query of an event in a capture", form: Plain,
		says: saysCapture + `|ErrCapturedEvent|its record is a place in a graph`,
		file: "query.go",
		old:  "\tif rec.captured() {\n\t\treturn false, e.capturedError(op)\n\t}\n",
		new:  "",
	},
	{
		name: "relay left out", form: Plain, profile: profileHeard,
		says: saysCapture + `|answered Failed|ErrStreamCapture|ErrCapturedEvent`,
		file: "../internal/native/event.go",
		old:  "\tif queried = !s.Has(MayCapture); queried {\n",
		new:  "\tif queried = true; queried {\n",
	},
	{
		name: "queries in the caller's capture mode", form: Plain,
		says: saysCapture + `|ErrStreamCaptureInvalidated`,
		file: "../internal/poll/runner.go",
		old:  "\tr.poller.prepare()\n",
		new:  "",
	},
	{
		name: "wait that ignores its context", form: Plain,
		says: `after the end of its context|^hang: goroutine \d+ is in (Wait|rejoin)`,
		file: "wait.go",
		old:  "\tcase <-ctx.Done():\n\t\treturn interrupted(op, object.String(), ctx.Err())\n",
		new:  "\tcase <-ctx.Done():\n\t\t<-c.done\n\t\treturn c.err\n",
	},
	{
		name: "poller that stalls behind a hanging query", form: Plain, says: saysHang,
		file: "../internal/poll/runner.go",
		old:  "\tif r.asking && p.stats.Queries == p.seen {\n",
		new:  "\tif false {\n",
	},
	{
		name: "older answer of a shared event believed", form: Plain,
		says: saysEarly,
		file: "waiting.go",
		old:  " || uint64(rec) == e.done.Load()) && !e.rec.has(flagShared)\n",
		new:  " || uint64(rec) == e.done.Load())\n",
	},
	{
		name: "lane that believes in begin numbers only", form: Plain, says: saysHang,
		file: "../internal/poll/lane.go",
		old:  "\tm := l.front[0].Order.End\n",
		new:  "\tm := l.front[0].Order.Begin\n",
	},
	{
		name: "wait across vendors that holds nothing up", form: Plain, says: saysEarly,
		file: "across.go",
		old:  "\tc.watch = e.home.driver.Watch(c.handle.Object, &c.Item)\n",
		new:  "\trelease(nil)\n\tc.watch = e.home.driver.Watch(c.handle.Object, &c.Item)\n",
	},
	{
		name: "thread's context not restored", form: Plain, says: `is left in CUDA context`,
		file: "../internal/driver/entry.go",
		old:  "\ts[back].SetShort(setAddr, 0, 0, 0).After(&s[set], ccall.Succeeded)\n",
		new:  "\ts[back].SetShort(setAddr, 0, 0, 0).After(&s[set], ccall.Failed)\n",
	},
	{
		name: "failed host function forgotten where somebody waits", form: Plain,
		says: `was recorded behind a failed host function`,
		file: "stream_failure.go",
		old:  "\treturn c.on.FailedBefore(c.begin)\n",
		new:  "\treturn nil\n",
	},
	{
		name: "failed host function forgotten where somebody asks", form: Plain,
		says: `was recorded behind a failed host function`,
		file: "stream_failure.go",
		old:  "\tif err := s.FailedBefore(begin); err != nil {\n",
		new:  "\tif err := s.FailedBefore(begin); err != nil && false {\n",
	},
	{
		name: "failed host function that fails what precedes it", form: Plain,
		says: `was recorded before a failed host function`,
		file: "../internal/native/failure.go",
		old:  " && int32(n-f.after) > 0 {\n",
		new:  " {\n",
	},
	{
		name: "host function behind a failed one", form: Plain,
		says: `ran behind one that has failed`,
		file: "hostfunc.go",
		old:  "\t\tif root.FailedBefore(n) != nil {\n",
		new:  "\t\tif root.FailedBefore(n) != nil && false {\n",
	},
}
