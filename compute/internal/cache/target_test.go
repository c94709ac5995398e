package cache

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
)

// A request without a target is compiled for the device that is current.
func TestHIPWithoutATargetIsNotKept(t *testing.T) {
	t.Parallel()
	assert.ErrorIs(t, hipCacheable(compiler.Request{Text: "x"}), compiler.ErrNotCacheable)
	assert.NoError(t, hipCacheable(compiler.Request{Text: "x", Target: "gfx90a"}))
}
