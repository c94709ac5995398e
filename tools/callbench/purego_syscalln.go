package main

import (
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// syscallNBinding is a binding written by hand with purego.SyscallN, which takes and returns words.
func syscallNBinding() plainBinding {
	record, query, elapsed := symbol("cuEventRecord"), symbol("cuEventQuery"),
		symbol("cuEventElapsedTime_v2")
	wait, create, destroy := symbol("cuStreamWaitEvent"), symbol("cuEventCreate"),
		symbol("cuEventDestroy_v2")
	return plainBinding{
		name:     report.SyscallN,
		notReady: cudrv.ErrNotReady,
		record: func(event, stream uintptr) error {
			r, _, _ := purego.SyscallN(record, event, stream)
			return codeOf(int32(r))
		},
		query: func(event uintptr) error {
			r, _, _ := purego.SyscallN(query, event)
			return codeOf(int32(r))
		},
		elapsed: func(start, end uintptr) (float32, error) {
			ms := new(float32)
			r, _, _ := purego.SyscallN(elapsed, uintptr(unsafe.Pointer(ms)), start, end)
			return *ms, codeOf(int32(r))
		},
		wait: func(stream, event uintptr, flags uint32) error {
			r, _, _ := purego.SyscallN(wait, stream, event, uintptr(flags))
			return codeOf(int32(r))
		},
		create: func(flags uint32) (uintptr, error) {
			event := new(uintptr)
			r, _, _ := purego.SyscallN(create, uintptr(unsafe.Pointer(event)), uintptr(flags))
			return *event, codeOf(int32(r))
		},
		destroy: func(event uintptr) error {
			r, _, _ := purego.SyscallN(destroy, event)
			return codeOf(int32(r))
		},
	}
}

// codeOf is result for codes that did not come through cgo.
func codeOf(code int32) error {
	switch code {
	case 0:
		return nil
	case 600:
		return cudrv.ErrNotReady
	}
	return cudrv.Result(code)
}
