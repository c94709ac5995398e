package backend

import (
	"fmt"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/driver"
)

func (c *cudaDevice) BeginCapture(s driver.Object) error {
	return c.inside("cuStreamBeginCapture", func() error {
		return cudrv.StreamBeginCapture(cudrv.Stream(s.Word), cudrv.StreamCaptureModeThreadLocal)
	})
}

func (c *cudaDevice) EndCapture(s driver.Object) (g Graph, err error) {
	err = c.inside("cuStreamEndCapture", func() error {
		graph, err := cudrv.StreamEndCapture(cudrv.Stream(s.Word))
		g.Word = uintptr(graph)
		return err
	})
	if err != nil && g.Word != 0 {
		err = driver.Undone(err, func() error { return c.DestroyGraph(g) })
		g = Graph{}
	}
	return g, err
}

// Last asks what the next node on the stream would depend on.
func (c *cudaDevice) Last(s driver.Object) (n Node, err error) {
	err = c.Enter(func() error {
		count, last, err := cudaLast(cudrv.Stream(s.Word))
		if err == nil && count != 1 {
			err = noNode(count)
		}
		n.Word = uintptr(last)
		return err
	})
	if err != nil {
		return Node{}, err
	}
	return n, nil
}

// cudaLast returns how many nodes the next one would depend on, and the first of them. Drivers of
// CUDA 13 need not have the second form of the call, nor older ones than 12.3 the third.
// fact: cuda-capture-tells-nodes
func cudaLast(s cudrv.Stream) (uintptr, cudrv.GraphNode, error) {
	_, _, _, nodes, _, count, err := cudrv.StreamGetCaptureInfoV3(s)
	err = cudaFailed("cuStreamGetCaptureInfo", err)
	if isUnsupported(err) {
		var older *cudrv.GraphNode
		_, _, _, count, err = cudrv.StreamGetCaptureInfoV2(s, &older)
		nodes, err = older, cudaFailed("cuStreamGetCaptureInfo", err)
	}
	if err != nil || count == 0 {
		return 0, 0, err
	}
	return count, *nodes, nil
}

// noNode returns the error for a capture in which no single node is the last.
func noNode(count uintptr) error {
	return &driver.Refusal{Cause: ErrNoNode,
		Detail: fmt.Sprintf("%d nodes of the capture are the last on the stream", count)}
}

// CaptureID calls the newest form of the function that the driver has. CUDA 13 has only the third.
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
