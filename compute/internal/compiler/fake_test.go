package compiler

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// library is a compiler made of Go functions. It compiles one program at a time, as the package
// does.
type library struct {
	*fake.Library
	prefix string

	mu      sync.Mutex
	archs   []int32
	outputs map[string]string // by the middle of the function's name: CUBIN, PTX, Code
	log     string
	fails   map[string]int32 // codes of the next call of each function
	compile func(options []string) int32
	keep    []*byte // C strings that were returned

	text, name  string
	headerNames []string
	headerTexts []string
	options     []string
	names       []string
	flow        fake.Args
	live        int
	calls       []string
}

var common = []string{"Version", "CreateProgram", "AddNameExpression", "CompileProgram",
	"GetProgramLogSize", "GetProgramLog", "GetLoweredName", "DestroyProgram"}

// fakeNVRTC serves NVRTC without the functions that are named.
func fakeNVRTC(t *testing.T, name string, without ...string) *library {
	l := &library{prefix: "nvrtc", archs: []int32{75, 80, 86, 87, 90},
		outputs: map[string]string{"CUBIN": "\x7fELF cubin", "PTX": ".version 8.0\x00"}}
	l.serve(t, name, slices.Concat(common, []string{"GetNumSupportedArchs", "GetSupportedArchs",
		"GetCUBINSize", "GetCUBIN", "GetPTXSize", "GetPTX", "GetLTOIRSize", "GetLTOIR",
		"SetFlowCallback"}), without)
	l.Install(t, &libs.NVRTC)
	return l
}

// fakeHIPRTC serves hipRTC.
func fakeHIPRTC(t *testing.T, name string, without ...string) *library {
	l := &library{prefix: "hiprtc", outputs: map[string]string{"Code": "\x7fELF code"}}
	l.serve(t, name, slices.Concat(common, []string{"GetCodeSize", "GetCode"}), without)
	l.Install(t, &libs.HIPRTC)
	return l
}

func (l *library) serve(_ *testing.T, name string, functions, without []string) {
	l.Library, l.fails = fake.New(name), map[string]int32{}
	for _, f := range functions {
		if !slices.Contains(without, f) {
			l.Handle(l.prefix+f, func(a fake.Args) int32 { return l.call(f, a) })
		}
	}
}

func (l *library) call(f string, a fake.Args) int32 {
	l.mu.Lock()
	l.calls = append(l.calls, f)
	code := l.fails[f]
	delete(l.fails, f)
	l.mu.Unlock()
	if code != 0 {
		if f == "DestroyProgram" {
			l.live--
		}
		return code
	}
	switch f {
	case "Version":
		a.Put32(0, 12)
		a.Put32(1, 3)
	case "CreateProgram":
		l.live++
		l.text, l.name = text(a[1]), text(a[2])
		l.headerTexts, l.headerNames = texts(a[3], a[4]), texts(a[3], a[5])
		l.names = nil
		a.Put64(0, 7)
	case "AddNameExpression":
		l.names = append(l.names, text(a[1]))
	case "SetFlowCallback":
		l.flow = a
	case "CompileProgram":
		l.options = texts(a[1], a[2])
		if l.compile != nil {
			return l.compile(l.options)
		}
	case "GetLoweredName":
		name, _ := ccall.CString("_Z" + text(a[1]))
		l.keep = append(l.keep, name)
		a.Put64(2, uintptr(unsafe.Pointer(name)))
	case "DestroyProgram":
		l.live--
	case "GetNumSupportedArchs":
		a.Put32(0, int32(len(l.archs)))
	case "GetSupportedArchs":
		copy(unsafe.Slice((*int32)(pointer(a[0])), len(l.archs)), l.archs)
	case "GetProgramLogSize":
		a.Put64(1, uintptr(len(l.log)+1))
	case "GetProgramLog":
		write(a[1], l.log+"\x00")
	default: // GetPTXSize, GetPTX
		what, size := strings.CutSuffix(strings.TrimPrefix(f, "Get"), "Size")
		if size {
			a.Put64(1, uintptr(len(l.outputs[what])))
		} else {
			write(a[1], l.outputs[what])
		}
	}
	return 0
}

// called are the functions called since the last time.
func (l *library) called() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := l.calls
	l.calls = nil
	return calls
}

func pointer(word uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&word)) }

func text(word uintptr) string { return ccall.GoString(pointer(word)) }

// texts are the strings of a C array. Only the low half of a count is the argument.
func texts(n, list uintptr) (all []string) {
	if list == 0 {
		return nil
	}
	for _, p := range unsafe.Slice((**byte)(pointer(list)), int32(n)) {
		all = append(all, ccall.GoString(unsafe.Pointer(p)))
	}
	return all
}

func write(word uintptr, s string) { copy(unsafe.Slice((*byte)(pointer(word)), len(s)), s) }
