package driver

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// The functions that are called here are also named in the bindings.
func TestFunctionsAreThoseOfTheBindings(t *testing.T) {
	t.Parallel()
	for _, p := range []*dl.Proc{&cuCtxGetCurrent, &cuCtxSetCurrent, &cuEventCreate,
		&cuEventElapsedTime, &cuEventElapsedTimeV2, &cuEventRecord,
		&cuEventRecordWithFlags, &cuStreamIsCapturing, &cuStreamQuery, &cuStreamWaitEvent} {
		assert.Same(t, &libs.CUDA, p.Lib, p.Symbol)
		assert.Equal(t, cudrv.Since(p.Symbol), p.Since, p.Symbol)
	}
	for _, p := range []*dl.Proc{&hipGetDevice, &hipSetDevice, &hipEventCreateWithFlags,
		&hipEventElapsedTime, &hipEventRecord,
		&hipEventRecordWithFlags, &hipStreamIsCapturing, &hipStreamQuery, &hipStreamWaitEvent} {
		assert.Same(t, &libs.HIP, p.Lib, p.Symbol)
		assert.Equal(t, hip.Since(p.Symbol), p.Since, p.Symbol)
	}
}

// context plays the current context of a thread, and answers with codes.
type context struct {
	current uintptr
	codes   map[string][]int32 // of the next calls
	calls   []string
	status  int32
}

func (c *context) install(t *testing.T) {
	lib := fake.New("contexts")
	for symbol, f := range map[string]func(fake.Args){
		"cuCtxGetCurrent":     func(a fake.Args) { a.Put64(0, c.current) },
		"cuCtxSetCurrent":     func(a fake.Args) { c.current = a[0] },
		"cuEventRecord":       func(fake.Args) {},
		"cuStreamIsCapturing": func(a fake.Args) { a.Put32(1, c.status) },
	} {
		lib.Handle(symbol, func(a fake.Args) int32 {
			c.calls = append(c.calls, symbol[2:])
			if next := c.codes[symbol]; len(next) > 0 {
				c.codes[symbol] = next[1:]
				if next[0] != 0 {
					return next[0]
				}
			}
			f(a)
			return 0
		})
	}
	lib.Install(t, &libs.CUDA)
}

func TestVisit(t *testing.T) {
	const ours, theirs = 0xc0, 0x70
	get, set, ask, record := "CtxGetCurrent", "CtxSetCurrent", "StreamIsCapturing", "EventRecord"
	fails := func(symbol string, codes ...int32) map[string][]int32 {
		return map[string][]int32{"cu" + symbol: codes}
	}
	for _, tt := range []struct {
		name    string
		current uintptr
		status  int32
		codes   map[string][]int32
		calls   []string
		after   uintptr // what is current
		capture Capture
		failed  string // the call that the error names
		effect  bool   // and that only the thread suffers from
	}{
		{"in another context", theirs, 0, nil,
			[]string{get, set, ask, record, set}, theirs, NotCapturing, "", false},
		{"without one", 0, 0, nil,
			[]string{get, set, ask, record, set}, 0, NotCapturing, "", false},
		{"in the right one", ours, 0, nil,
			[]string{get, ask, record}, ours, NotCapturing, "", false},
		{"captured", theirs, 1, nil,
			[]string{get, set, ask, set}, theirs, Capturing, "", false},
		{"capture spoilt", ours, 2, nil,
			[]string{get, ask}, ours, Capturing, "", false},
		{"current can't be told", theirs, 0, fails(get, 1),
			[]string{get}, theirs, CaptureUnknown, get, false},
		{"can't be entered", theirs, 0, fails(set, 1),
			[]string{get, set}, theirs, CaptureUnknown, set, false},
		{"question fails", theirs, 0, fails(ask, 1),
			[]string{get, set, ask, set}, theirs, CaptureUnknown, ask, false},
		{"record fails", theirs, 0, fails(record, 1),
			[]string{get, set, ask, record, set}, theirs, NotCapturing, record, false},
		{"restored at the second try", theirs, 0, fails(set, 0, 1),
			[]string{get, set, ask, record, set, set}, theirs, NotCapturing, "", false},
		{"not restored", theirs, 0, fails(set, 0, 1, 1),
			[]string{get, set, ask, record, set, set}, ours, NotCapturing, set, true},
		{"captured and not restored", theirs, 1, fails(set, 0, 1, 1),
			[]string{get, set, ask, set, set}, ours, CaptureUnknown, set, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &context{current: tt.current, codes: tt.codes, status: tt.status}
			c.install(t)
			for range 2 { // a visit leaves nothing behind for the next one in its pooled memory
				x := cuda.enter(ours, 2)
				capture, err := x.recordUnlessCapturing(Object{Word: 5}, Object{Word: 6})
				assert.Equal(t, tt.calls, c.calls)
				assert.Equal(t, tt.after, c.current)
				assert.Equal(t, tt.capture, capture)
				assert.Equal(t, tt.effect, OnlyRestore(err))
				if tt.failed == "" {
					assert.NoError(t, err)
				} else {
					assert.ErrorContains(t, err, "cu"+tt.failed)
					assert.ErrorIs(t, err, cudrv.ErrInvalidValue)
					break
				}
				c.calls = nil
				if tt.codes != nil {
					break
				}
			}
		})
	}
}

func TestVisitWithoutAFunctionCallsNothing(t *testing.T) {
	c := &context{}
	c.install(t)
	x := cuda.enter(1, 1)
	x.call(&cuStreamQuery, 6, 0, 0)
	err := x.end(x.run())
	assert.ErrorIs(t, err, cudrv.ErrSymbolNotFound)
	assert.ErrorContains(t, err, "cuStreamQuery")
	assert.Empty(t, c.calls)
}
