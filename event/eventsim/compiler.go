package eventsim

import (
	"github.com/gpuevent/gpuevent/internal/testing/images"
	"github.com/gpuevent/gpuevent/internal/testing/simrtc"
)

// installCompiler replaces the vendor's compiler by one that makes images for the machines.
func (p *place) installCompiler(amd bool) (restore func()) {
	c := simrtc.New(p.version, p.kernelParams)
	if amd {
		return c.InstallHIPRTC()
	}
	return c.InstallNVRTC()
}

// kernelParams returns the parameters of a kernel's Go function on any of the machines.
func (p *place) kernelParams(name string) (params []images.Param, ok bool) {
	process.Lock()
	defer process.Unlock()
	for _, m := range p.machines {
		if params, ok = m.sim.KernelParams(name); ok {
			break
		}
	}
	return params, ok
}
