package images

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/image"
)

var saxpy = Kernel{Name: "saxpy", Params: Pack(4, 4, 0, 0), MaxThreads: 256, Shared: 128,
	Registers: 10}

func TestPackAligns(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []Param{{0, 4, 4, false}, {8, 8, 8, true}, {16, 1, 1, false}, {18, 2, 2, false}},
		Pack(4, 0, 1, 2))
}

func TestImagesSayWhatTheyAreMadeOf(t *testing.T) {
	t.Parallel()
	params := func(k image.Kernel) (all [][2]uint32) {
		for _, p := range k.Params {
			all = append(all, [2]uint32{p.Offset, p.Size})
		}
		return all
	}
	for _, c := range []struct {
		image  []byte
		kind   image.Kind
		target string
		params [][2]uint32
	}{
		{PTX("8.4", "sm_80", []Kernel{saxpy}), image.PTX, "compute_80",
			[][2]uint32{{0, 4}, {4, 4}, {8, 8}, {16, 8}}},
		{CodeObject("gfx942:sramecc+:xnack-", []Kernel{saxpy}, Variable{"v", []byte{1}}),
			image.CodeObject, "gfx942:sramecc+:xnack-", [][2]uint32{{0, 4}, {4, 4}, {8, 8}, {16, 8}}},
		{Cubin(86, []Kernel{saxpy}), image.Cubin, "sm_86", nil},
	} {
		im, err := image.Read(c.image)
		require.NoError(t, err, c.kind)
		assert.Equal(t, c.kind, im.Kind)
		assert.Equal(t, []string{c.target}, im.Targets, c.kind)
		k, ok := im.Kernel("saxpy")
		require.True(t, ok, c.kind)
		assert.Equal(t, c.params, params(k), c.kind)
		assert.Equal(t, c.params != nil, k.ParamsKnown, c.kind)
	}
}
