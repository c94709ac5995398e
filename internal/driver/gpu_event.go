package driver

import (
	"runtime"
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

func (g *gpu) CreateEvent(f EventFlags) (Object, error) { return g.createEvent(f, 0) }

// createEvent adds flags of the vendor's own.
func (g *gpu) createEvent(f EventFlags, flags uintptr) (e Object, err error) {
	if !f.Timing {
		flags |= eventDisableTiming
	}
	if f.Blocking {
		flags |= eventBlockingSync
	}
	if f.IPC {
		flags |= eventInterprocess
	}
	out := ccall.NewOut()
	err = g.inside(eventCreate, out.Word(0), flags, 0)
	e.Word = uintptr(out.W[0])
	out.Free(1)
	return g.orDestroy(e, err)
}

// orDestroy destroys an event that was created for nothing.
func (g *gpu) orDestroy(e Object, err error) (Object, error) {
	if err != nil && e.Word != 0 {
		err = Undone(err, func() error { return g.DestroyEvent(e) })
	}
	return e, err
}

func (g *gpu) DestroyEvent(e Object) error { return g.call(true, eventDestroy, e.Word, 0, 0) }

func (g *gpu) Record(e, s Object, external bool) error {
	if external {
		return g.call(named(s), eventRecordFlags, e.Word, s.Word, recordExternal)
	}
	return g.call(named(s), eventRecord, e.Word, s.Word, 0)
}

// RecordUnlessCapturing leaves it to the driver to refuse a record in a capture that has failed.
func (g *gpu) RecordUnlessCapturing(e, s Object) (Capture, error) {
	capture, err := g.recordUnlessCapturing(e, s)
	if capture == Invalidated {
		capture = Capturing
	}
	return capture, err
}

func (g *gpu) recordUnlessCapturing(e, s Object) (capture Capture, err error) {
	if IsDefaultStream(s.Word) {
		return NotCapturing, g.Record(e, s, false)
	}
	x := g.api.take()
	defer g.api.put(x)
	if named(s) && !g.strict.Load() {
		capture, err = x.recordUnlessCapturing(g.api, false, 0, e, s)
		if !g.refusedOutside(err) {
			return capture, err
		}
	}
	ours, err := g.ours()
	if err != nil {
		return CaptureUnknown, err
	}
	return x.recordUnlessCapturing(g.api, true, ours, e, s)
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
	return g.orDestroy(e, err)
}
