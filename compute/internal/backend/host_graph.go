package backend

import "github.com/gpuevent/gpuevent/internal/driver"

// noGraphs is the error of captures on the host.
func noGraphs() error {
	return &driver.Refusal{Cause: driver.ErrUnsupported, Detail: "the host captures no streams"}
}

func (h *Host) BeginCapture(driver.Object) error                      { return noGraphs() }
func (h *Host) EndCapture(driver.Object) (Graph, error)               { return Graph{}, noGraphs() }
func (h *Host) CaptureID(driver.Object) (uint64, error)               { return 0, noGraphs() }
func (h *Host) Last(driver.Object) (Node, error)                      { return Node{}, noGraphs() }
func (h *Host) Instantiate(Graph) (Exec, error)                       { return Exec{}, noGraphs() }
func (h *Host) LaunchGraph(driver.Object, Exec) error                 { return noGraphs() }
func (h *Host) SetKernel(Exec, Node, Function, *Config, *Frame) error { return noGraphs() }
func (h *Host) Update(Exec, Graph) error                              { return noGraphs() }
func (h *Host) DestroyGraph(Graph) error                              { return noGraphs() }
func (h *Host) DestroyExec(Exec) error                                { return noGraphs() }
