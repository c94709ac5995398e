package simrtc

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gpuevent/gpuevent/internal/image"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

// Compiler is a simulated library. Its programs are its own.
type Compiler struct {
	version string // of the driver that it belongs to
	params  Params

	mu       sync.Mutex
	programs map[uintptr]*program
	next     uintptr
}

// New makes a library of the version of a driver: 12.4, or 6.4 of ROCm.
func New(version string, params Params) *Compiler {
	return &Compiler{version: version, params: params, programs: map[uintptr]*program{}, next: 1}
}

func (c *Compiler) create(text, name string) uintptr {
	if name == "" {
		name = "default_program"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	handle := c.next << 4
	c.next++
	c.programs[handle] = &program{text: text, name: name}
	return handle
}

func (c *Compiler) program(handle uintptr) *program {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.programs[handle]
}

func (c *Compiler) destroy(handle uintptr) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.programs[handle]
	delete(c.programs, handle)
	return ok
}

// numbers returns the version's first two.
func (c *Compiler) numbers() (major, minor int32) {
	first, rest, _ := strings.Cut(c.version, ".")
	second, _, _ := strings.Cut(rest, ".")
	x, _ := strconv.Atoi(first)
	y, _ := strconv.Atoi(second)
	return int32(x), int32(y)
}

// architectures are those that NVRTC of the version compiles for.
func (c *Compiler) architectures() []int32 {
	major, minor := c.numbers()
	all := []int32{75, 80, 86, 87, 89, 90}
	if major < 13 {
		all = append([]int32{50, 52, 53, 60, 61, 62, 70, 72}, all...)
	}
	if major > 12 || major == 12 && minor >= 8 {
		all = append(all, 100, 103, 120, 121)
	}
	return all
}

// ptxVersion is the version of PTX that the release writes.
func (c *Compiler) ptxVersion() string {
	major, minor := c.numbers()
	release := fmt.Sprintf("%d.%d", major, minor)
	for x := 9; x >= 7; x-- {
		for y := 9; y >= 0; y-- {
			if v := (image.PTXVersion{Major: x, Minor: y}); v.CUDA() == release {
				return v.String()
			}
		}
	}
	return "7.0"
}

var smName = regexp.MustCompile(`^(sm|compute)_(\d+)([af]?)$`)

// compileCUDA makes PTX, and machine code if the option names a real architecture.
func (c *Compiler) compileCUDA(p *program, options []string) int32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.compiled, p.log, p.ptx, p.machine = true, "", nil, nil
	target := option(options, "--gpu-architecture", "-arch")
	if target == "" {
		target = "compute_75"
	}
	m := smName.FindStringSubmatch(target)
	number := 0
	if m != nil {
		number, _ = strconv.Atoi(m[2])
	}
	if !slices.Contains(c.architectures(), int32(number)) {
		p.log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n"
		return invalidOption
	}
	kernels, bad := p.kernels(c.params)
	if bad != nil {
		p.log = fmt.Sprintf("%s(%d): error: %s\n\n1 error detected in the compilation of \"%s\".\n",
			p.name, bad.line, bad.text, p.name)
		return compilation
	}
	p.ptx = images.PTX(c.ptxVersion(), "sm_"+m[2]+m[3], kernels...)
	if m[1] == "sm" {
		p.machine = images.Cubin(target, kernels...)
	}
	return success
}

// onCPU is the version of HIP on a CPU. Its compiler ignores the target, and returns an object file
// for the host, with a bundle in it.
const onCPU = "cpu"

var gfxName = regexp.MustCompile(`^gfx[0-9a-f]{3,4}(:[a-z]+[+-])*$`)

// compileHIP makes a code object.
func (c *Compiler) compileHIP(p *program, options []string) int32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.compiled, p.log, p.machine = true, "", nil
	target := option(options, "--offload-arch", "--gpu-architecture")
	if c.version == onCPU {
		if _, bad := p.kernels(c.params); bad != nil {
			p.log = fmt.Sprintf("%s:%d:1: error: %s\n1 error generated.\n", p.name, bad.line, bad.text)
			return compilation
		}
		p.machine = images.HostObject(images.SPIRVBundle())
		return success
	}
	if !gfxName.MatchString(target) {
		p.log = fmt.Sprintf("error: unsupported HIP gpu architecture: %s\n", target)
		return compilation
	}
	kernels, bad := p.kernels(c.params)
	if bad != nil {
		p.log = fmt.Sprintf("%s:%d:1: error: %s\n1 error generated when compiling for %s.\n", p.name,
			bad.line, bad.text, target)
		return compilation
	}
	for i := range kernels {
		if kernels[i].MaxThreads == 0 {
			kernels[i].MaxThreads = 1024
		}
	}
	p.machine = images.CodeObject(target, kernels...)
	return success
}
