package computesoak

// Findings that several plants share.
const (
	saysFreed = `are freed|used before the stream that allocates|freed while work uses|` +
		`while launches of its kernels are pending|wrong contents|ErrIllegalAddress|would have crashed`
	saysLeak = `leak: [^\]]*`
)

const (
	newCUDA = "cuda-13.5"
	newHIP  = "hip-7.2"
)

// plants are the bugs that the soak must find.
var plants = []plant{
	{
		name: "objects released before the launch", profile: newCUDA, form: Plain,
		says: saysFreed,
		file: "launch.go",
		old:  "\tif err == nil && !c.none {\n",
		new:  "\treleaseBuffers(retained)\n\tretained = nil\n\tif err == nil && !c.none {\n",
	},
	{
		name: "closed buffer retained", profile: newCUDA, form: Plain,
		says: saysFreed,
		file: "lifetime.go",
		old:  "\t\tif old&1 != 0 {\n",
		new:  "\t\tif old&1 != 0 && false {\n",
	},
	{
		name: "last use that ends nothing", profile: newCUDA, form: Plain,
		says: saysLeak,
		file: "lifetime.go",
		old:  "return l.state.Add(-2) == 1 }",
		new:  "l.state.Add(-2); return false }",
	},
	{
		name: "launch noted in its buffers too late", profile: newCUDA, form: Plain,
		says: saysFreed,
		file: "args.go",
		old:  "\t\tlife.users.note(s)\n",
		new:  "\t\tgo life.users.note(s)\n",
	},
	{
		name: "launch not noted in its buffers", profile: newCUDA, form: Plain,
		says: saysFreed,
		file: "args.go",
		old:  "\t\tlife.users.note(s)\n",
		new:  "",
	},
	{
		name: "launch not noted in its module", profile: newCUDA, form: Plain,
		says: saysFreed,
		file: "launch.go",
		old:  "\tm.users.note(s)\n",
		new:  "",
	},
	{
		name: "memory freed in the order of one stream only", profile: newCUDA, form: Plain,
		says: saysFreed,
		file: "block.go",
		old:  "b.inOrder && len(all) == 1 &&",
		new:  "b.inOrder && len(all) != 0 &&",
	},
	{
		name: "pool memory freed on the wrong stream", profile: newCUDA, form: Plain,
		says: saysFreed,
		file: "block.go",
		old:  "FreeOn(stream.Object, b.address)\n",
		new:  "FreeOn(b.device.driver.DefaultStream(), b.address)\n",
	},
	{
		name: "end that waits for nothing", profile: newCUDA, form: Plain,
		says: saysFreed,
		file: "users.go",
		old:  "\tif allDone(all) {\n",
		new:  "\tif true {\n",
	},
	{
		name: "closed stream forgotten while its work goes on", profile: newCUDA, form: Plain,
		says: saysFreed,
		file: "users.go",
		old:  "\tif o.isDone() {\n",
		new:  "\tif true {\n",
	},
	{
		name: "question about streams that ends a capture", profile: newCUDA, form: Plain,
		says: `ErrStreamCaptureInvalidated|ErrStreamCaptureUnsupported`,
		file: "users.go",
		old:  "\t\tstreamOf(s).Device.Driver.Relaxed(func() { // the thread may be capturing\n",
		new:  "\t\tfunc(f func()) { f() }(func() {\n",
	},
	{
		name: "graph that does not hold the buffers of launches", profile: newCUDA, form: Plain,
		says: saysFreed,
		file: "kept.go",
		old:  "\t\tif b, ok := args[i].(isBuffer); ok {\n",
		new:  "\t\tif b, ok := args[i].(isBuffer); ok && false {\n",
	},
	{
		name: "graph that does not hold the buffers of copies", profile: newHIP, form: Plain,
		says: saysFreed,
		file: "capture.go",
		old:  "\tfor _, o := range objects {\n\t\tc.kept.add(o)\n\t}\n",
		new:  "",
	},
	{
		name: "launch of a graph not noted", profile: newHIP, form: Plain, says: saysFreed,
		file: "graph.go",
		old:  "\tg.users.note(s)\n",
		new:  "",
	},
	{
		name: "launches of an updated graph at nodes of the new one", profile: newCUDA, form: Plain,
		says: `GraphKernel.Set|` + saysFreed,
		file: "graph.go",
		old:  "\t\t\t\tk.node = g.kernels[i].node\n",
		new:  "",
	},
	{
		name: "copy not noted in pinned memory", profile: newCUDA, form: Plain,
		says: saysFreed,
		file: "pinned.go",
		old:  "\tb.users.note(s)\n",
		new:  "",
	},
	{
		name: "argument of a wrong size accepted", profile: newCUDA, form: Plain,
		says: `a wrong launch returned`,
		file: "args.go",
		old:  "\tcase p.size != t.Size():\n",
		new:  "\tcase p.size != t.Size() && false:\n",
	},
	{
		name: "wrong offset of a slice of a slice", profile: newCUDA, form: Plain,
		says: `wrong contents`,
		file: "buffer.go",
		old:  "b.offset + uintptr(i)*size",
		new:  "uintptr(i)*size",
	},
	{
		name: "limit of shared memory not raised", profile: newCUDA, form: Plain,
		says: `Launch[^\n]*ErrInvalidValue`,
		file: "launch.go",
		old:  "\t\tif err := k.allow(op, c.Shared); err != nil {\n",
		new:  "\t\tif err := error(nil); err != nil {\n",
	},
	{
		name: "memory that stays in the account", profile: newHIP, form: Plain, says: saysLeak,
		file: "block.go",
		old:  "\t\tdefer b.device.account.end(b)\n",
		new:  "",
	},
	{
		name: "stream given up when a record fails", profile: newCUDA, form: Faults,
		says: saysFreed,
		file: "users.go",
		old:  "\t\t\to.last, o.unmarked = last, !isOver(err)\n",
		new:  "\t\t\to.last = last\n\t\t\t_ = err\n",
	},
	{
		name: "buffers dropped and not freed", profile: newCUDA, form: Plain,
		says: saysLeak,
		file: "block.go",
		old:  "\t\tb.device.background(func() { report(b.close(\"Buffer\")) })\n",
		new:  "",
	},
}
