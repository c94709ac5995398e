package hip_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/callback"
)

func TestPanicHandlerIsTheCallbacks(t *testing.T) {
	var got []any
	hip.SetPanicHandler(func(name string, v any, _ []byte) { got = append(got, name, v) })
	defer hip.SetPanicHandler(nil)
	key := callback.Add(func() { panic("boom") }, callback.Once)
	callback.Run("CUhostFn", key, func(f func()) { f() })
	assert.Equal(t, []any{"CUhostFn", "boom"}, got)
}
