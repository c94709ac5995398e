package driver

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
)

func TestInsideCall(t *testing.T) {
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
			x := new(Call)
			for range 2 { // a library that takes another's place is called instead
				t.Run("", func(t *testing.T) {
					codes := map[string][]int32{}
					for symbol, c := range tt.codes {
						codes[symbol] = c
					}
					c := &context{current: tt.current, codes: codes}
					c.install(t)
					x.Words()[0] = 5
					err := x.run(&cuda, ours, &cuEventRecord, 1)
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

func TestInsideCallWithoutAFunctionCallsNothing(t *testing.T) {
	c := &context{}
	c.install(t)
	absent := dl.Proc{Lib: &libs.CUDA, Symbol: "cuAbsent", Since: "99.0"}
	err := new(Call).run(&cuda, 0xc0, &absent, 1)
	assert.ErrorIs(t, err, cudrv.ErrSymbolNotFound)
	assert.ErrorContains(t, err, "cuAbsent")
	assert.Empty(t, c.calls)
}
