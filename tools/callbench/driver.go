package main

/*
#include <stdlib.h>
#include "driver.h"
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// tally counts the driver's calls by kind.
type tally [C.KINDS]int

// The kinds of calls that are counted.
const (
	callRecord     = C.RECORD
	callQuery      = C.QUERY
	callElapsed    = C.ELAPSED
	callWait       = C.WAIT
	callCreate     = C.CREATE
	callDestroy    = C.DESTROY
	callLaunch     = C.LAUNCH
	callCapturing  = C.CAPTURING
	callCurrent    = C.CURRENT
	callSetCurrent = C.SET_CURRENT
)

// tallied returns the calls that this thread has made so far.
func tallied() (t tally) {
	for i := range t {
		t[i] = int(C.called(C.int(i)))
	}
	return t
}

// since returns the calls made since before.
func (t tally) since(before tally) tally {
	for i := range t {
		t[i] -= before[i]
	}
	return t
}

func (t tally) times(n int) tally {
	for i := range t {
		t[i] *= n
	}
	return t
}

func (t tally) sum() (n int) {
	for _, calls := range t {
		n += calls
	}
	return n
}

// symbol gives the addresses of the driver's functions, under the names that the bindings look up.
func symbol(name string) uintptr {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return uintptr(C.symbol(c))
}

// setPending says what the driver answers to queries: not ready, or done.
func setPending(pending bool) { C.setPending(number(pending)) }

// setInside says whether the device's context is current on the calling thread, or none is.
func setInside(inside bool) { C.setInside(number(inside)) }

func number(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// The loops in C.

func turned(turns C.ulong, n int) error {
	if int(turns) != n {
		return fmt.Errorf("the C loop's turn %d of %d failed", turns+1, n)
	}
	return nil
}

func loopRecord(n int, event, stream uintptr) error {
	return turned(C.loopRecord(C.ulong(n), C.handle(event), C.handle(stream)), n)
}

func loopQuery(n int, event uintptr, pending bool) error {
	want := C.int(C.OK)
	if pending {
		want = C.NOT_READY
	}
	return turned(C.loopQuery(C.ulong(n), C.handle(event), want), n)
}

func loopRecordQuery(n int, event, stream uintptr) error {
	return turned(C.loopRecordQuery(C.ulong(n), C.handle(event), C.handle(stream)), n)
}

func loopElapsed(n int, start, end uintptr) error {
	return turned(C.loopElapsed(C.ulong(n), C.handle(start), C.handle(end)), n)
}

func loopWait(n int, stream, event uintptr) error {
	return turned(C.loopWait(C.ulong(n), C.handle(stream), C.handle(event)), n)
}

func loopCreateDestroy(n int, flags uint32) error {
	return turned(C.loopCreateDestroy(C.ulong(n), C.uint(flags)), n)
}

func loopCreateRecordDestroy(n int, flags uint32, stream uintptr) error {
	return turned(C.loopCreateRecordDestroy(C.ulong(n), C.uint(flags), C.handle(stream)), n)
}

func loopLaunch(n int) error  { return turned(C.loopLaunch(C.ulong(n)), n) }
func loopLaunch4(n int) error { return turned(C.loopLaunch4(C.ulong(n)), n) }

// clocks are what is read before and after a round, in nanoseconds.
type clocks struct {
	wall    int64
	thread  int64 // CPU time of the calling thread
	process int64 // CPU time of the process, with its garbage collection
}

func readClocks() clocks {
	return clocks{int64(C.wallClock()), int64(C.threadClock()), int64(C.processClock())}
}

func (c clocks) since(before clocks) clocks {
	return clocks{c.wall - before.wall, c.thread - before.thread, c.process - before.process}
}
