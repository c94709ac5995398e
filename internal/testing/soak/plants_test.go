package soak

// plants are the bugs that the soak must find.
var plants = []plant{
	{
		name: "lost wake-up of WaitAny", form: Plain, says: `hang: .* is in WaitAny`,
		file: "point.go",
		old:  "\tfor _, a := range alarms {\n\t\ta.ring()\n\t}\n",
		new:  "\tclear(alarms)\n",
	},
	{
		name: "stale done", form: Plain, says: `a closed gate holds up every record that could be meant`,
		file: "event_query.go",
		old:  "e.done.Store(rec)",
		new:  "e.done.Store(e.rec.Load())",
	},
	{
		name: "leaked stand-in", form: Plain, profile: "cuda-13.5", says: `leak: handles are left`,
		file: "point.go",
		old:  "\t\t\tn.drop()\n",
		new:  "\t\t\tn.shut()\n",
	},
}
