package driver

import (
	"runtime"
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

func (g *gpu) CreateEvent(f EventFlags) (Object, error) { return g.createEvent(f, 0) }

// createEvent adds flags of the vendor's own.
func (g *gpu) createEvent(f EventFlags, flags uintptr) (Object, error) {
	if !f.Timing {
		flags |= eventDisableTiming
	}
	if f.Blocking {
		flags |= eventBlockingSync
	}
	if f.IPC {
		flags |= eventInterprocess
	}
	return g.create(eventCreate, flags, 0, g.DestroyEvent)
}

// create creates an event or a stream.
func (g *gpu) create(c call, second, third uintptr, destroy func(Object) error) (Object, error) {
	out := ccall.NewOut()
	err := g.inside(c, out.Word(0), second, third)
	o := Object{Word: uintptr(out.W[0])}
	out.Free(1)
	return orDestroy(o, err, destroy)
}

// orDestroy destroys what was created for nothing: the caller gets no handle.
func orDestroy(o Object, err error, destroy func(Object) error) (Object, error) {
	if err != nil && o.Word != 0 {
		err = Undone(err, func() error { return destroy(o) })
	}
	return o, err
}

func (g *gpu) DestroyEvent(e Object) error { return g.call(true, eventDestroy, e.Word, 0, 0) }

func (g *gpu) Record(e, s Object, external bool) error {
	if external {
		return g.call(named(s), eventRecordFlags, e.Word, s.Word, recordExternal)
	}
	return g.call(named(s), eventRecord, e.Word, s.Word, 0)
}

func (g *gpu) RecordUnlessCapturing(e, s Object) (Capture, error) {
	capturing, err := g.Capturing(s)
	switch {
	case err != nil:
		return CaptureUnknown, Undone(err, nil)
	case capturing:
		return Capturing, nil
	}
	return NotCapturing, g.Record(e, s, false)
}

func (g *gpu) QueryEvent(e Object) (bool, error) { return g.query(true, eventQuery, e.Word) }

// SyncEvent waits on a thread that captures of others do not affect.
// fact: cuda-capture-modes
func (g *gpu) SyncEvent(e Object, _ bool) (err error) {
	g.Relaxed(func() { err = g.call(true, eventSync, e.Word, 0, 0) })
	return err
}

func (g *gpu) Elapsed(start, end Object, ms *float32) (time.Duration, error) {
	err := g.call(true, g.elapsed, ccall.Ptr(unsafe.Pointer(ms)), start.Word, end.Word)
	runtime.KeepAlive(ms)
	if err != nil {
		return 0, err
	}
	return milliseconds(*ms), nil
}

func (g *gpu) ExportEvent(e Object) (raw [DescriptorBytes]byte, err error) {
	out := new([DescriptorBytes]byte)
	err = g.inside(eventExport, ccall.Ptr(unsafe.Pointer(out)), e.Word, 0)
	return *out, err
}

// ImportEvent explains a refused context: the descriptor is this process's own.
// fact: gpu-ipc-same-process
func (g *gpu) ImportEvent(raw [DescriptorBytes]byte) (e Object, err error) {
	err = g.Enter(func() (err error) {
		e.Word, err = g.api.importEvent(raw)
		return err
	})
	if e, ok := err.(*Error); ok && e.Class == ErrContext {
		e.Detail = "the driver can't import an event into the process that exported it; " +
			"use the event itself"
	}
	return orDestroy(e, err, g.DestroyEvent)
}
