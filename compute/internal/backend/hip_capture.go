package backend

import (
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/driver"
)

func (h *hipDevice) BeginCapture(s driver.Object) error {
	return h.inside("hipStreamBeginCapture", func() error {
		return hip.StreamBeginCapture(hip.Stream(s.Word), hip.StreamCaptureModeThreadLocal)
	})
}

func (h *hipDevice) EndCapture(s driver.Object) (g Graph, err error) {
	err = h.inside("hipStreamEndCapture", func() error {
		graph, err := hip.StreamEndCapture(hip.Stream(s.Word))
		g.Word = uintptr(graph)
		return err
	})
	if err != nil && g.Word != 0 {
		err = driver.Undone(err, func() error { return h.DestroyGraph(g) })
		g = Graph{}
	}
	return g, err
}

// Last asks what the next node on the stream would depend on.
func (h *hipDevice) Last(s driver.Object) (n Node, err error) {
	err = h.Enter(func() error {
		_, _, _, nodes, count, err := hip.StreamGetCaptureInfoV2(hip.Stream(s.Word))
		switch {
		case err != nil:
			return hipFailed("hipStreamGetCaptureInfo_v2", err)
		case count != 1:
			return noNode(count)
		}
		n.Word = uintptr(*nodes)
		return nil
	})
	if err != nil {
		return Node{}, err
	}
	return n, nil
}

func (h *hipDevice) CaptureID(s driver.Object) (id uint64, err error) {
	err = h.Enter(func() error {
		_, number, err := hip.StreamGetCaptureInfo(hip.Stream(s.Word))
		id = number
		return hipFailed("hipStreamGetCaptureInfo", err)
	})
	return id, err
}
