package image_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/internal/image"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

func TestOffloaded(t *testing.T) {
	t.Parallel()
	bundle := images.SPIRVBundle()
	object := images.HostObject(bundle)
	assert.Equal(t, bundle, image.Offloaded(object))
	im, err := image.Read(bundle)
	assert.NoError(t, err)
	assert.Equal(t, image.SPIRV, im.Entries[1].Kind)
	for name, b := range map[string][]byte{
		"nothing":                 nil,
		"a bundle":                bundle,
		"a code object":           images.CodeObject("gfx90a"),
		"a cubin":                 images.Cubin("sm_90"),
		"an object without a GPU": images.HostObject([]byte("other")),
		"an empty section":        images.HostObject(nil),
	} {
		assert.Nil(t, image.Offloaded(b), name)
	}
	for end := range object { // truncated anywhere
		_ = image.Offloaded(object[:end])
	}
}
