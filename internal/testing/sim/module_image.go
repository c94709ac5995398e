package sim

import (
	"slices"
	"strconv"
	"strings"
)

// What an image must be to be loaded: by vendor, by version of the driver and by device.

// imageKind is what the first bytes of an image say.
type imageKind uint8

const (
	imageUnknown imageKind = iota
	imagePTX
	imageCubin
	imageFatbin
	imageCodeObject
	imageBundle
)

// program is what the simulator needs to know of an image.
type program struct {
	kind    imageKind
	targets []string // "sm_90", "gfx942:sramecc+:xnack-"
	version int      // of PTX: 84 for 8.4
	kernels []kernelSpec
	globals []globalSpec
}

// kernelSpec is a kernel of an image.
type kernelSpec struct {
	name       string
	params     []paramSpec
	known      bool // the parameters are all of them
	registers  int32
	shared     int32 // static, in bytes
	local      int32
	constant   int32
	maxThreads int32 // of a block; 0 if the image does not limit it
}

// paramSpec is where a parameter lies among all of its kernel.
type paramSpec struct{ offset, size uintptr }

// globalSpec is a variable of the device.
type globalSpec struct {
	name  string
	size  uintptr
	value []byte // zeroes if shorter than size
}

func (p *program) kernel(name string) (kernelSpec, bool) {
	i := slices.IndexFunc(p.kernels, func(k kernelSpec) bool { return k.name == name })
	if i < 0 {
		return kernelSpec{}, false
	}
	return p.kernels[i], true
}

// paramBytes is the size of all parameters.
func (k *kernelSpec) paramBytes() (n uintptr) {
	for _, p := range k.params {
		n = max(n, p.offset+p.size)
	}
	return n
}

// loadImage reads an image and checks that the device can run it. What the driver's compiler says
// goes to the log.
func (f *face) loadImage(c *context, at *byte, log *jitLog) (*module, code) {
	image, p, err := readImage(at)
	m := &module{home: c, program: p}
	switch {
	case p == nil:
		log.say("cannot read the image: %v", err)
		return nil, invalidImage
	case f.hip():
		return f.loadCodeObject(m, image, at, err)
	case p.kind == imagePTX:
		return m, f.acceptsPTX(p, err, log)
	case p.kind != imageCubin && p.kind != imageFatbin || err != nil:
		log.say("cannot read the image: %v", err)
		return nil, invalidImage
	case !slices.ContainsFunc(p.targets, runsCubin):
		return nil, noBinary
	}
	return m, success
}

func (f *face) loadCodeObject(m *module, image []byte, at *byte, err error) (*module, code) {
	switch p := m.program; {
	case p.kind != imageCodeObject && p.kind != imageBundle || err != nil:
		return nil, invalidImage
	case !slices.ContainsFunc(p.targets, runsCodeObject):
		return nil, noBinary
	case p.kind == imageCodeObject && f.plays(amdImageNotCopied):
		m.source = &source{at: at, image: image}
	}
	return m, success
}

// acceptsPTX compiles PTX, as far as that can fail.
func (f *face) acceptsPTX(p *program, err error, log *jitLog) code {
	switch {
	case p.version > f.ptxVersion():
		log.say("ptxas fatal   : Unsupported .version %d.%d; current version is '%d.%d'",
			p.version/10, p.version%10, f.ptxVersion()/10, f.ptxVersion()%10)
		return unsupportedPTX
	case err != nil:
		log.say("ptxas fatal   : %v", err)
		return invalidPTX
	case !slices.ContainsFunc(p.targets, compilesPTX):
		log.say("ptxas fatal   : SM version specified by .target is higher than default SM "+
			"version assumed: %s, not %s", strings.Join(p.targets, ","), cudaArchitecture)
		return invalidPTX
	}
	log.inform("ptxas info    : compiled %d kernel(s) for '%s'", len(p.kernels), cudaArchitecture)
	return success
}

const (
	cudaMajor, cudaMinor = 9, 0
	cudaArchitecture     = "sm_90"
	hipGeneric           = "gfx9-4-generic"
)

// ptxVersion is the newest version of PTX that the driver knows.
func (f *face) ptxVersion() int {
	number := int(f.profile.Load().number)
	major, minor := number/1000, number%1000/10
	switch { // CUDA 12.6 and 12.8 are where the versions of PTX stop to follow
	case major == 11:
		return 70 + minor
	case major == 12 && minor <= 5:
		return 80 + minor
	case major == 12:
		return 80 + minor - 1
	}
	return (major-4)*10 + minor
}

// runsCubin reports whether the device runs machine code for a target: of the same major version
// and no higher minor one, and of exactly this version if it has a letter.
func runsCubin(target string) bool {
	major, minor, letter, ok := parseSM(target)
	switch {
	case !ok || major != cudaMajor:
		return false
	case letter == "a":
		return minor == cudaMinor
	}
	return minor <= cudaMinor
}

// compilesPTX reports whether the driver can compile PTX for a target: of no higher version.
func compilesPTX(target string) bool {
	major, minor, letter, ok := parseSM(target)
	switch {
	case !ok:
		return false
	case letter == "a":
		return major == cudaMajor && minor == cudaMinor
	case letter == "f":
		return major == cudaMajor && minor <= cudaMinor
	}
	return major < cudaMajor || major == cudaMajor && minor <= cudaMinor
}

// parseSM takes sm_90a apart.
func parseSM(target string) (major, minor int, letter string, ok bool) {
	digits, ok := strings.CutPrefix(target, "sm_")
	if !ok {
		digits, ok = strings.CutPrefix(target, "compute_")
	}
	if n := len(digits); n > 0 && digits[n-1] >= 'a' {
		digits, letter = digits[:n-1], digits[n-1:]
	}
	n, err := strconv.Atoi(digits)
	return n / 10, n % 10, letter, ok && err == nil
}

// runsCodeObject reports whether the device runs a code object: for its processor, or the generic
// one of its family, and with its features where the target names them.
func runsCodeObject(target string) bool {
	have := strings.Split(hipArchitecture, ":")
	want := strings.Split(target[max(strings.Index(target, "gfx"), 0):], ":")
	for _, feature := range want[1:] {
		if !slices.Contains(have, feature) {
			return false
		}
	}
	return want[0] == have[0] || want[0] == hipGeneric
}
