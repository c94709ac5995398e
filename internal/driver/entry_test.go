package driver

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// The functions that are called here are also named in the bindings.
func TestFunctionsAreThoseOfTheBindings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		api   *api
		since func(string) string
	}{{&cuda, cudrv.Since}, {&amd, hip.Since}} {
		for i := range tt.api.calls {
			p := &tt.api.calls[i]
			if p.Symbol == "" && tt.api == &amd &&
				(call(i) == streamSync || call(i) == eventSync || call(i) == eventElapsedV2) {
				continue // it is not called
			}
			require.NotEmpty(t, p.Symbol, i)
			assert.Same(t, tt.api.lib, p.Lib, p.Symbol)
			assert.Equal(t, tt.since(p.Symbol), p.Since, p.Symbol)
		}
	}
}

func TestNumbersAreThoseOfBothVendors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ own, cuda, hip int }{
		{codeNotReady, int(cudrv.ErrNotReady), int(hip.ErrNotReady)},
		{0, int(cudrv.StreamCaptureStatusNone), int(hip.StreamCaptureStatusNone)},
		{captureInvalidated, int(cudrv.StreamCaptureStatusInvalidated),
			int(hip.StreamCaptureStatusInvalidated)},
		{captureRelaxed, int(cudrv.StreamCaptureModeRelaxed), int(hip.StreamCaptureModeRelaxed)},
		{streamNonBlocking, int(cudrv.StreamNonBlocking), int(hip.StreamNonBlocking)},
		{recordExternal, int(cudrv.EventRecordExternal), int(hip.EventRecordExternal)},
		{waitExternal, int(cudrv.EventWaitExternal), int(hip.EventWaitExternal)},
		{eventBlockingSync, int(cudrv.EventBlockingSync), int(hip.EventBlockingSync)},
		{eventDisableTiming, int(cudrv.EventDisableTiming), int(hip.EventDisableTiming)},
		{eventInterprocess, int(cudrv.EventInterprocess), int(hip.EventInterprocess)},
		{0, int(cudrv.StreamDefault), int(hip.StreamDefault)},
		{0, int(cudrv.EventDefault), int(hip.EventDefault)},
		{0, int(cudrv.EventWaitDefault), int(hip.EventWaitDefault)},
	} {
		assert.Equal(t, [2]int{tt.own, tt.own}, [2]int{tt.cuda, tt.hip})
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

func TestRecordUnlessCapturing(t *testing.T) {
	const ours, theirs = 0xc0, 0x70
	get, set, ask, record := "CtxGetCurrent", "CtxSetCurrent", "StreamIsCapturing", "EventRecord"
	fails := func(symbol string, codes ...int32) map[string][]int32 {
		return map[string][]int32{"cu" + symbol: codes}
	}
	for _, tt := range []struct {
		name    string
		stream  uintptr
		current uintptr
		status  int32
		codes   map[string][]int32
		calls   []string
		after   uintptr // what is current
		capture Capture
		failed  string // the call that the error names
		effect  bool   // and that only the thread suffers from
	}{
		{"in another context", perThread, theirs, 0, nil,
			[]string{get, set, ask, set, get, set, record, set}, theirs, NotCapturing, "", false},
		{"without one", perThread, 0, 0, nil,
			[]string{get, set, ask, set, get, set, record, set}, 0, NotCapturing, "", false},
		{"in the right one", perThread, ours, 0, nil,
			[]string{get, ask, get, record}, ours, NotCapturing, "", false},
		{"captured", perThread, theirs, 1, nil,
			[]string{get, set, ask, set}, theirs, Capturing, "", false},
		{"capture invalidated", perThread, ours, 2, nil,
			[]string{get, ask}, ours, Capturing, "", false},
		{"current can't be told", perThread, theirs, 0, fails(get, 1),
			[]string{get}, theirs, CaptureUnknown, get, false},
		{"can't be entered", perThread, theirs, 0, fails(set, 1),
			[]string{get, set}, theirs, CaptureUnknown, set, false},
		{"question fails", perThread, theirs, 0, fails(ask, 1),
			[]string{get, set, ask, set}, theirs, CaptureUnknown, ask, false},
		{"record fails", perThread, theirs, 0, fails(record, 1),
			[]string{get, set, ask, set, get, set, record, set}, theirs, NotCapturing, record, false},
		{"restored at the second try", perThread, theirs, 0, fails(set, 0, 1),
			[]string{get, set, ask, set, set, get, set, record, set}, theirs, NotCapturing, "", false},
		{"not restored after the record", perThread, theirs, 0, fails(set, 0, 0, 0, 1, 1),
			[]string{get, set, ask, set, get, set, record, set, set}, ours, NotCapturing, set, true},
		{"not restored after the question", perThread, theirs, 0, fails(set, 0, 1, 1),
			[]string{get, set, ask, set, set}, ours, CaptureUnknown, set, false},
		{"captured and not restored", perThread, theirs, 1, fails(set, 0, 1, 1),
			[]string{get, set, ask, set, set}, ours, CaptureUnknown, set, false},
		{"a stream that names its context", 6, theirs, 0, nil,
			[]string{ask, record}, theirs, NotCapturing, "", false},
		{"such a stream, captured", 6, theirs, 1, nil,
			[]string{ask}, theirs, Capturing, "", false},
		{"the legacy default stream", legacy, theirs, 1, nil,
			[]string{get, set, record, set}, theirs, NotCapturing, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &context{current: tt.current, codes: tt.codes, status: tt.status}
			c.install(t)
			g := &gpu{api: &cuda, primary: ours}
			for range 2 { // an entry keeps nothing of a use
				capture, err := g.RecordUnlessCapturing(Object{Word: 5}, Object{Word: tt.stream})
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

func TestEntry(t *testing.T) {
	const ours, theirs = 0xc0, 0x70
	get, set, record := "CtxGetCurrent", "CtxSetCurrent", "EventRecord"
	fails := func(symbol string, codes ...int32) map[string][]int32 {
		return map[string][]int32{"cu" + symbol: codes}
	}
	for _, tt := range []struct {
		name    string
		current uintptr
		codes   map[string][]int32
		calls   []string
		after   uintptr // what is current
		failed  string  // the call that the error names
		effect  bool    // and that only the thread suffers from
	}{
		{"in another context", theirs, nil, []string{get, set, record, set}, theirs, "", false},
		{"without one", 0, nil, []string{get, set, record, set}, 0, "", false},
		{"in the right one", ours, nil, []string{get, record}, ours, "", false},
		{"current can't be told", theirs, fails(get, 1), []string{get}, theirs, get, false},
		{"can't be entered", theirs, fails(set, 1), []string{get, set}, theirs, set, false},
		{"the call fails", theirs, fails(record, 1), []string{get, set, record, set}, theirs, record,
			false},
		{"restored at the second try", theirs, fails(set, 0, 1),
			[]string{get, set, record, set, set}, theirs, "", false},
		{"not restored", theirs, fails(set, 0, 1, 1), []string{get, set, record, set, set}, ours, set,
			true},
		{"the call fails, not restored", theirs,
			map[string][]int32{"cuEventRecord": {1}, "cuCtxSetCurrent": {0, 1, 1}},
			[]string{get, set, record, set, set}, ours, record, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := new(Entry)
			enter := map[string]func() error{
				"a call": func() error {
					x.Words()[0] = 5
					return x.call(&cuda, ours, &cuda.calls[eventRecord], 1)
				},
				"a function": func() error {
					return x.enter(&cuda, ours, func() error {
						return Failed("cuEventRecord", cudrv.EventRecord(5, 0))
					})
				},
			}
			// A library that takes another's place is called instead.
			for _, way := range []string{"a call", "a function", "a call", "a function"} {
				t.Run(way, func(t *testing.T) {
					codes := map[string][]int32{}
					for symbol, c := range tt.codes {
						codes[symbol] = c
					}
					c := &context{current: tt.current, codes: codes}
					c.install(t)
					err := enter[way]()
					assert.Equal(t, tt.calls, c.calls)
					assert.Equal(t, tt.after, c.current)
					assert.Equal(t, tt.effect, OnlyRestore(err))
					if tt.failed == "" {
						assert.NoError(t, err)
						return
					}
					assert.ErrorContains(t, err, "cu"+tt.failed)
					assert.ErrorIs(t, err, cudrv.ErrInvalidValue)
				})
			}
		})
	}
}

func TestEntryWithoutAFunctionCallsNothing(t *testing.T) {
	c := &context{}
	c.install(t)
	absent := dl.Proc{Lib: &libs.CUDA, Symbol: "cuAbsent", Since: "99.0"}
	err := new(Entry).call(&cuda, 0xc0, &absent, 1)
	assert.ErrorIs(t, err, cudrv.ErrSymbolNotFound)
	assert.ErrorContains(t, err, "cuAbsent")
	assert.Empty(t, c.calls)
}
