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

// registerBinding is a binding written by hand with purego.RegisterFunc, which makes functions
// of a C function's type.
func registerBinding() plainBinding {
	var (
		record  func(event, stream uintptr) int32
		query   func(event uintptr) int32
		elapsed func(ms *float32, start, end uintptr) int32
		wait    func(stream, event uintptr, flags uint32) int32
		create  func(event *uintptr, flags uint32) int32
		destroy func(event uintptr) int32
	)
	purego.RegisterFunc(&record, symbol("cuEventRecord"))
	purego.RegisterFunc(&query, symbol("cuEventQuery"))
	purego.RegisterFunc(&elapsed, symbol("cuEventElapsedTime_v2"))
	purego.RegisterFunc(&wait, symbol("cuStreamWaitEvent"))
	purego.RegisterFunc(&create, symbol("cuEventCreate"))
	purego.RegisterFunc(&destroy, symbol("cuEventDestroy_v2"))
	return plainBinding{
		name:     report.RegisterFunc,
		notReady: cudrv.ErrNotReady,
		record:   func(event, stream uintptr) error { return codeOf(record(event, stream)) },
		query:    func(event uintptr) error { return codeOf(query(event)) },
		elapsed: func(start, end uintptr) (float32, error) {
			var ms float32
			code := elapsed(&ms, start, end)
			return ms, codeOf(code)
		},
		wait: func(stream, event uintptr, flags uint32) error {
			return codeOf(wait(stream, event, flags))
		},
		create: func(flags uint32) (uintptr, error) {
			var event uintptr
			code := create(&event, flags)
			return event, codeOf(code)
		},
		destroy: func(event uintptr) error { return codeOf(destroy(event)) },
	}
}
