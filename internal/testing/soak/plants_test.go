package soak

// plants are the bugs that the soak must find.
var plants = []plant{
	{
		name: "lost wake-up of WaitAny", form: Plain, says: `hang: .* is in WaitAny`,
		file: "completion.go",
		old:  "\tfor _, a := range alarms {\n\t\ta.ring()\n\t}\n",
		new:  "\tclear(alarms)\n",
	},
	{
		name: "stale done", form: Plain, says: `done: `,
		file: "waiting.go",
		old:  "\te.done.Store(uint64(rec))\n",
		new:  "\trec, _ = e.rec.read()\n\te.done.Store(uint64(rec))\n",
	},
	{
		name: "dropped callback", form: Plain, says: `hang: a function given to OnDone|did not happen`,
		file: "dispatch.go",
		old:  "\tfor _, f := range callbacks {\n",
		new:  "\tfor _, f := range callbacks[1:] {\n",
	},
	{
		name: "callbacks in the wrong order", form: Plain, says: `ran before one that was given earlier`,
		file: "dispatch.go",
		old:  "\t\tqueue = append(queue, func() { f(err) })\n",
		new:  "\t\tqueue = append([]func(){func() { f(err) }}, queue...)\n",
	},
	{
		name: "guard left out", form: Plain, says: `would have crashed|dead handles|handle is not valid|hipError|destroyed`,
		file: "handle.go",
		old:  "\tif h.state.Add(what)&refuse != 0 {\n",
		new:  "\tif h.state.Add(what)&refuse == ^uint64(0) {\n",
	},
	{
		name: "missing stand-in", form: Plain, says: `.`,
		file: "event_record.go",
		old:  "\tif h.watchers.Load() != 0 || ",
		new:  "\tif ",
	},
	{
		name: "query of an event in a capture", form: Plain, says: `captured|CAPTURE|Capture`,
		file: "query.go",
		old:  "\tif rec.captured() {\n\t\treturn false, e.capturedError(op)\n\t}\n",
		new:  "",
	},
	{
		name: "wait that ignores its context", form: Plain, says: `after the end of its context|hang`,
		file: "wait.go",
		old:  "\tcase <-ctx.Done():\n\t\treturn interrupted(op, object.String(), ctx.Err())\n",
		new:  "\tcase <-ctx.Done():\n\t\t<-c.done\n\t\treturn c.err\n",
	},
	{
		name: "poller that stalls behind a hanging question", form: Plain, says: `stays open|hang`,
		file: "internal/poll/runner.go",
		old:  "\tif r.asking && r.asked == p.seen {\n",
		new:  "\tif false {\n",
	},
	{
		name: "questions in the caller's capture mode", form: Plain, says: `capture`,
		file: "internal/poll/runner.go",
		old:  "\tr.poller.prepare()\n",
		new:  "",
	},
	{
		name: "overlapping records taken for ordered", form: Plain, says: `stays open|hang`,
		file: "internal/poll/lane.go",
		old:  "\tm := l.front[0].Order.End\n",
		new:  "\tm := l.front[0].Order.Begin\n",
	},
	{
		name: "wait across vendors that holds nothing up", form: Plain, says: `closed gate`,
		file: "across.go",
		old:  "\tc.watch = e.home.driver.Watch(c.handle.native, &c.Item)\n\treturn nil\n",
		new:  "\trelease(nil)\n\tc.watch = e.home.driver.Watch(c.handle.native, &c.Item)\n\treturn nil\n",
	},
	{
		name: "leaked relay", form: Plain, says: `leak: handles are left`,
		file: "relay.go",
		old:  "\tif !done || !d.relays.put(r) {\n\t\tr.close()\n\t}\n",
		new:  "\tif done {\n\t\td.relays.put(r)\n\t}\n",
	},
	{
		name: "dropped objects not destroyed", form: Plain, profile: "cuda-13.5", says: `leak: handles are left`,
		file: "handle.go",
		old:  "func (h *handle) closeAsync() {\n\tif h.shut() {\n",
		new:  "func (h *handle) closeAsync() {\n\tif h.is(isForeign) && h.shut() {\n",
	},
}
