package compiler

import (
	"cmp"
	"maps"
	"slices"
)

// defaultName is the file name of a source without one.
const defaultName = "kernel.cu"

// Request is a source and what to make of it.
type Request struct {
	Text string // the source
	Name string // its file name in messages; "" stands for kernel.cu
	// Headers are the texts of includes, by the name that an #include directive has.
	Headers map[string]string
	// Options are passed to the compiler, one option each. The target is not one of them. The
	// language is C++17 unless one of them is -std.
	Options []string
	// Names are expressions for which the result has symbols: "reduce<float>", "&ns::limit".
	// Variables need the & on NVIDIA.
	Names []string
	// Target is an architecture: "sm_90", "compute_90" for PTX, "gfx942:sramecc+:xnack-". For hipRTC
	// it may be "", the compiler's default.
	Target string
}

// FileName is the name of the source in messages.
func (r *Request) FileName() string { return cmp.Or(r.Name, defaultName) }

// Clone returns a request that shares no memory that its owner may change.
func (r *Request) Clone() Request {
	c := *r
	c.Headers = maps.Clone(r.Headers)
	c.Options, c.Names = slices.Clone(r.Options), slices.Clone(r.Names)
	return c
}

// Result is a compiled source.
type Result struct {
	Image []byte // PTX ends with a NUL byte, as a driver wants it
	Kind  string // "cubin", "PTX", "LTO-IR", "code object" or "bundle"
	// Target is what the image was compiled for. For NVIDIA it is older than the request's if the
	// compiler does not know that one.
	Target   string
	Lowered  map[string]string // the symbols of the request's names
	Log      string            // warnings, without temporary folders
	Compiler string            // "NVRTC 13.5", "hipRTC 7.2.53211 (libhiprtc.so.7.2.53211)"
}

// HasErrors reports whether the log of a successful compilation has errors: clang may go on without
// what it did not find.
func (r *Result) HasErrors() bool {
	return slices.ContainsFunc(messages(r.Log), func(m Message) bool { return m.Severity == "error" })
}

// Kinds of images.
const (
	Cubin      = "cubin"
	PTX        = "PTX"
	LTOIR      = "LTO-IR"
	CodeObject = "code object"
	Bundle     = "bundle"
)

// job is a request in the form that a library takes. It shares no memory with the request that its
// owner may change, because a job can outlive the call.
type job struct {
	text, name  string
	headerNames []string
	headerTexts []string
	options     []string
	names       []string
	target      string
}

func newJob(r *Request) *job {
	j := &job{text: r.Text, name: r.FileName(), target: r.Target,
		options: slices.Clone(r.Options)}
	for name := range r.Headers {
		j.headerNames = append(j.headerNames, name)
	}
	slices.Sort(j.headerNames)
	for _, name := range j.headerNames {
		j.headerTexts = append(j.headerTexts, r.Headers[name])
	}
	for _, name := range r.Names {
		if !slices.Contains(j.names, name) {
			j.names = append(j.names, name)
		}
	}
	return j
}
