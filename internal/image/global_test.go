package image_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/image"
)

// The samples have one variable, whose section is the first of all.
func TestValues(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"cubin", "new cubin"} {
		b := samples()[kind]
		values := image.Values(b)
		require.Contains(t, values, "count", kind)
		assert.Len(t, values["count"], 4, kind)
		was := values["count"][0]
		clear(b)
		assert.Equal(t, was, values["count"][0], "it shares no memory")
	}
	assert.Nil(t, image.Values(nil))
	assert.Nil(t, image.Values([]byte("text")))
	b := samples()["cubin"]
	binary.LittleEndian.PutUint64(b[40:], 1<<60) // the table of sections
	assert.Nil(t, image.Values(b))
}
