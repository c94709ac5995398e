package backend

import (
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/host"
)

// A graph of the host's engine is executable as it is, so Graph and Exec are the same.

// engine returns the error of a call of the engine.
func engine(call string, err error) error {
	if err == nil {
		return nil
	}
	return &driver.Error{Call: "host " + call, Code: err}
}

func (h *Host) BeginCapture(s driver.Object) error {
	return engine("begin capture", s.Host.(*host.Queue).BeginCapture())
}

func (h *Host) EndCapture(s driver.Object) (Graph, error) {
	g, err := s.Host.(*host.Queue).EndCapture()
	if err != nil {
		return Graph{}, engine("end capture", err)
	}
	return Graph{Host: g}, nil
}

func (h *Host) CaptureID(s driver.Object) (uint64, error) {
	id, ok := s.Host.(*host.Queue).CaptureID()
	if !ok {
		return 0, engine("capture id", host.ErrNotCapturing)
	}
	return id, nil
}

func (h *Host) Last(s driver.Object) (Node, error) {
	n, ok := s.Host.(*host.Queue).LastNode()
	if !ok {
		return Node{}, engine("last node", host.ErrNotCapturing)
	}
	return Node{Host: n}, nil
}

func (h *Host) Instantiate(g Graph) (Exec, error) { return Exec(g), nil }

func (h *Host) LaunchGraph(s driver.Object, x Exec) error {
	return engine("graph launch", x.Host.(*host.Graph).Launch(s.Host.(*host.Queue)))
}

func (h *Host) SetKernel(x Exec, n Node, f Function, c *Config, p *Frame) error {
	run, err := h.bind(f, c, p)
	if err != nil {
		return err
	}
	return engine("replace node", x.Host.(*host.Graph).Replace(n.Host.(host.Node), run))
}

// Update leaves it to the caller to use the other graph, which costs nothing. All functions are
// alike to the engine: it can't tell which of the nodes are the same.
func (h *Host) Update(Exec, Graph) error {
	return &driver.Error{Call: "host graph update", Class: ErrDiffers, Code: host.ErrShape}
}

func (h *Host) DestroyGraph(Graph) error { return nil }
func (h *Host) DestroyExec(Exec) error   { return nil }
