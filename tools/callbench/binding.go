package main

import (
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// binding is one way to call the driver's functions from Go: functions as users call them, with
// errors for codes and results for what C returns through pointers.
type binding[E, S ~uintptr, C, W ~uint32] struct {
	name     string
	notReady error
	record   func(event E, stream S) error
	query    func(event E) error
	elapsed  func(start, end E) (float32, error)
	wait     func(stream S, event E, flags W) error
	create   func(flags C) (E, error)
	destroy  func(event E) error
}

type (
	plainBinding = binding[uintptr, uintptr, uint32, uint32]
	cudaBinding  = binding[cudrv.Event, cudrv.Stream, cudrv.EventFlags, cudrv.EventWaitFlags]
	rocmBinding  = binding[hip.Event, hip.Stream, hip.EventFlags, hip.EventWaitFlags]
)

func cgoBinding() plainBinding {
	return plainBinding{
		report.Cgo, cudrv.ErrNotReady, cgoEventRecord, cgoEventQuery, cgoEventElapsed,
		cgoStreamWaitEvent, cgoEventCreate, cgoEventDestroy,
	}
}

func quietBinding() plainBinding {
	return plainBinding{
		report.Quiet, cudrv.ErrNotReady, quietEventRecord, quietEventQuery, quietEventElapsed,
		quietStreamWaitEvent, quietEventCreate, quietEventDestroy,
	}
}

func cudrvBinding() cudaBinding {
	return cudaBinding{
		report.Raw, cudrv.ErrNotReady, cudrv.EventRecord, cudrv.EventQuery,
		cudrv.EventElapsedTimeV2, cudrv.StreamWaitEvent, cudrv.EventCreate, cudrv.EventDestroy,
	}
}

func hipBinding() rocmBinding {
	return rocmBinding{
		report.Raw, hip.ErrNotReady, hip.EventRecord, hip.EventQuery, hip.EventElapsedTime,
		hip.StreamWaitEvent, hip.EventCreateWithFlags, hip.EventDestroy,
	}
}

// operations call the functions straight, as a program would: none is wrapped.
func (b binding[E, S, C, W]) operations() operations {
	one := func(operation func() error) []way { return []way{goWay(b.name, operation)} }
	record := func(stream S) []way {
		return one(func() error { return b.record(rawEvent, stream) })
	}
	query := func(want error) []way {
		return one(func() error {
			if err := b.query(rawEvent); err != want {
				return errWrong
			}
			return nil
		})
	}
	return operations{
		record:        record(rawStream),
		recordDefault: record(0),
		pending:       query(b.notReady),
		done:          query(nil),
		recordQuery: one(func() error {
			if err := b.record(rawEvent, rawStream); err != nil {
				return err
			}
			return b.query(rawEvent)
		}),
		elapsed: one(func() error {
			ms, err := b.elapsed(rawStart, rawEnd)
			if err == nil && ms != 1.5 {
				err = errWrong
			}
			return err
		}),
		wait: one(func() error { return b.wait(rawStream, rawEvent, 0) }),
		createDestroy: one(func() error {
			e, err := b.create(createFlags)
			if err != nil {
				return err
			}
			return b.destroy(e)
		}),
		createRecordDestroy: one(func() error {
			e, err := b.create(createFlags)
			if err != nil {
				return err
			}
			if err := b.record(e, rawStream); err != nil {
				return err
			}
			return b.destroy(e)
		}),
	}
}

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
