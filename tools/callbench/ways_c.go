package main

import "github.com/gpuevent/gpuevent/tools/callbench/report"

// inC are the operations as loops in C: what the driver itself takes.
func inC() operations {
	one := func(run func(n int) error) []way { return []way{{report.C, run}} }
	return operations{
		record:        one(func(n int) error { return loopRecord(n, rawEvent, rawStream) }),
		recordDefault: one(func(n int) error { return loopRecord(n, rawEvent, 0) }),
		pending:       one(func(n int) error { return loopQuery(n, rawEvent, true) }),
		done:          one(func(n int) error { return loopQuery(n, rawEvent, false) }),
		recordQuery:   one(func(n int) error { return loopRecordQuery(n, rawEvent, rawStream) }),
		elapsed:       one(func(n int) error { return loopElapsed(n, rawStart, rawEnd) }),
		wait:          one(func(n int) error { return loopWait(n, rawStream, rawEvent) }),
		createDestroy: one(func(n int) error { return loopCreateDestroy(n, createFlags) }),
		createRecordDestroy: one(func(n int) error {
			return loopCreateRecordDestroy(n, createFlags, rawStream)
		}),
	}
}
