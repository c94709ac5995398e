package backend

import (
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// CaptureID asks with the newest form of the call that the driver has: CUDA 13 has only the third.
func (c *cudaDevice) CaptureID(s driver.Object) (id uint64, err error) {
	err = c.Enter(func() error {
		stream := cudrv.Stream(s.Word)
		_, number, _, _, _, _, err := cudrv.StreamGetCaptureInfoV3(stream)
		err = cudaFailed("cuStreamGetCaptureInfo", err)
		if isUnsupported(err) {
			var nodes *cudrv.GraphNode
			_, number, _, _, err = cudrv.StreamGetCaptureInfoV2(stream, &nodes)
			err = cudaFailed("cuStreamGetCaptureInfo", err)
		}
		if isUnsupported(err) {
			_, number, err = cudrv.StreamGetCaptureInfo(stream)
			err = cudaFailed("cuStreamGetCaptureInfo", err)
		}
		id = number
		return err
	})
	return id, err
}

// CaptureID asks the runtime.
func (h *hipDevice) CaptureID(s driver.Object) (id uint64, err error) {
	err = h.Enter(func() error {
		_, number, err := hip.StreamGetCaptureInfo(hip.Stream(s.Word))
		id = number
		return hipFailed("hipStreamGetCaptureInfo", err)
	})
	return id, err
}
