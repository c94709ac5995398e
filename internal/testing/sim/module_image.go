package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/internal/image"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

// What an image must be to be loaded: by vendor, by version of the driver and by device.

const (
	cudaMajor, cudaMinor = 9, 0
	cudaArchitecture     = "sm_90"
	chipArchitecture     = "unavailable"
	chipTarget           = "hip-spirv64" // how entries of bundles begin
)

// program is the part of an image that a device runs.
type program struct {
	kernels []kernelSpec
	globals []globalSpec
	unread  bool // there may be more kernels
}

func (f *face) architecture() string {
	if f.hip() {
		return hipArchitecture
	}
	return cudaArchitecture
}

// loadImage reads an image and checks that the device can run it. What the driver's compiler says
// goes to the log.
func (f *face) loadImage(c *context, at *byte, log *jitLog) (*module, code) {
	b := readImage(at)
	if m := f.loadSPIRV(c, b); m != nil {
		return m, success
	}
	kind := image.KindOf(b)
	if f.hip() && !kind.HIP() || !f.hip() && !kind.CUDA() {
		return nil, invalidImage
	}
	im, err := image.Read(b)
	m := &module{home: c}
	if kind == image.PTX {
		if fault := f.acceptsPTX(b, im, err, log); fault != success {
			return nil, fault
		}
		globals := globalsOf(im.Globals, nil)
		m.program = programOf(im.Kernels, im.Unread, globals)
		return m, success
	}
	if err != nil {
		log.say("%v", err)
		return nil, invalidImage
	}
	if kind == image.Cubin || kind == image.CodeObject {
		if !f.runsOne(im.Targets) {
			return nil, noBinary
		}
		m.program = programOf(im.Kernels, im.Unread, globalsOf(im.Globals, b))
		if f.plays(amdImageNotCopied) {
			m.source = &source{at: at, image: b}
		}
		return m, success
	}
	e := f.entryFor(im)
	switch {
	case e == nil:
		return nil, noBinary
	case e.Kind == image.Unknown && e.Compression == "":
		return nil, invalidImage
	}
	var part []byte
	if e.Compression == "" {
		part = b[e.Offset:][:e.Size]
	}
	globals := globalsOf(im.Globals, part)
	m.program = programOf(e.Kernels, e.Unread, globals)
	return m, success
}

// loadSPIRV loads a bundle with SPIR-V, as HIP on a CPU does; nil for another image. The kernels in
// it are not read. That such a runtime refuses code objects is not simulated: tests of what it
// shares with AMD's use them.
func (f *face) loadSPIRV(c *context, b []byte) *module {
	if !f.plays(chipNoArchitecture) || image.KindOf(b) != image.Bundle {
		return nil
	}
	im, err := image.Read(b)
	if err != nil {
		return nil
	}
	for _, e := range im.Entries {
		if strings.HasPrefix(e.Target, chipTarget) && e.Kind == image.SPIRV {
			return &module{home: c, program: &program{unread: true}}
		}
	}
	return nil
}

// architectureName is what the device's properties say.
func (f *face) architectureName() string {
	if f.plays(chipNoArchitecture) {
		return chipArchitecture
	}
	return f.architecture()
}

func (f *face) runsOne(targets []string) bool {
	return slices.ContainsFunc(targets, func(t string) bool { return image.Runs(t, f.architecture()) })
}

// entryFor returns the part of a fatbin or bundle that the device takes: machine code, or else PTX
// that the driver can compile.
func (f *face) entryFor(im *image.Image) *image.Entry {
	var ptx *image.Entry
	for i := range im.Entries {
		switch e := &im.Entries[i]; {
		case !image.Runs(e.Target, f.architecture()):
		case e.Kind != image.PTX:
			return e
		case !f.ptxVersion().Less(e.PTXVersion):
			ptx = e
		}
	}
	return ptx
}

// acceptsPTX compiles PTX, as far as that can fail.
func (f *face) acceptsPTX(text []byte, im *image.Image, err error, log *jitLog) code {
	switch {
	case err != nil:
		log.say("ptxas fatal   : %v", err)
		return invalidPTX
	case text[len(text)-1] != 0:
		return invalidImage
	case f.ptxVersion().Less(im.PTXVersion):
		log.say("ptxas application ptx input, line 1; fatal   : Unsupported .version %v; current "+
			"version is '%v'", im.PTXVersion, f.ptxVersion())
		return unsupportedPTX
	case !f.runsOne(im.Targets):
		log.say("ptxas fatal   : SM version specified by .target is higher than default SM "+
			"version assumed: %s, not %s", strings.Join(im.Targets, ","), cudaArchitecture)
		return invalidPTX
	}
	log.inform("ptxas info    : compiled %d kernel(s) for '%s'", len(im.Kernels), cudaArchitecture)
	return success
}

// ptxVersion is the newest version of PTX that the driver knows.
func (f *face) ptxVersion() image.PTXVersion {
	number := f.profile.Load().number
	release := fmt.Sprintf("%d.%d", number/1000, number%1000/10)
	for major := 9; major >= 7; major-- {
		for minor := 9; minor >= 0; minor-- {
			if v := (image.PTXVersion{Major: major, Minor: minor}); v.CUDA() == release {
				return v
			}
		}
	}
	panic("sim: no version of PTX belongs to CUDA " + release)
}

// kernelSpec is a kernel of an image.
type kernelSpec struct {
	name       string
	params     []paramSpec
	known      bool // the parameters are all of them
	registers  int32
	shared     int32 // static, in bytes
	local      int32
	maxThreads int32      // of a block; 0 if the image does not limit it
	block      kernel.Dim // the only size of a block; zero if any
}

// paramSpec is where a parameter lies among all of its kernel.
type paramSpec struct{ offset, size uintptr }

func programOf(kernels []image.Kernel, unread string, globals []globalSpec) *program {
	p := &program{globals: globals, unread: unread != ""}
	for _, k := range kernels {
		s := kernelSpec{name: strings.Clone(k.Name), known: k.ParamsKnown,
			maxThreads: int32(k.MaxThreads),
			block:      kernel.Dim{X: k.Block[0], Y: k.Block[1], Z: k.Block[2]}}
		for _, q := range k.Params {
			s.params = append(s.params, paramSpec{uintptr(q.Offset), uintptr(q.Size)})
		}
		if r := k.Resources; r != nil {
			s.registers, s.shared, s.local = int32(r.Registers), int32(r.Shared), int32(r.Local)
		}
		p.kernels = append(p.kernels, s)
	}
	return p
}

// kernel finds a kernel. Where the image can't be read in full, the ones that have a Go function
// count as there.
func (f *face) kernelOf(p *program, name string) (kernelSpec, bool) {
	for _, k := range p.kernels {
		if k.name == name {
			return k, true
		}
	}
	if run, _ := f.m.kernel(name); p.unread && run != nil {
		return kernelSpec{name: strings.Clone(name)}, true
	}
	return kernelSpec{}, false
}

// paramBytes is the size of all parameters.
func paramBytes(params []paramSpec) (n uintptr) {
	for _, p := range params {
		n = max(n, p.offset+p.size)
	}
	return n
}
