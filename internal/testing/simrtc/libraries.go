package simrtc

import "unsafe"

var nvidia, amd = new(library), new(library)

func init() {
	ptx := func(p *program) []byte { return p.ptx }
	machine := func(p *program) []byte { return p.machine }
	withNUL := func(p *program) []byte { return append([]byte(p.log), 0) }
	plain := func(p *program) []byte { // hipRTC counts no NUL for an empty log
		if p.log == "" {
			return nil
		}
		return withNUL(p)
	}
	nvidia.functions = map[string]any{
		"nvrtcVersion":              nvrtcVersion,
		"nvrtcGetErrorString":       errorText("NVRTC_ERROR"),
		"nvrtcCreateProgram":        nvidia.create,
		"nvrtcDestroyProgram":       nvidia.destroy,
		"nvrtcCompileProgram":       nvidia.compile((*Compiler).compileCUDA),
		"nvrtcAddNameExpression":    nvidia.addExpression,
		"nvrtcGetLoweredName":       nvidia.loweredName,
		"nvrtcGetPTXSize":           nvidia.size(ptx),
		"nvrtcGetPTX":               nvidia.copy(ptx),
		"nvrtcGetCUBINSize":         nvidia.size(machine),
		"nvrtcGetCUBIN":             nvidia.copy(machine),
		"nvrtcGetProgramLogSize":    nvidia.size(withNUL),
		"nvrtcGetProgramLog":        nvidia.copy(withNUL),
		"nvrtcGetNumSupportedArchs": nvrtcArchitectureCount,
		"nvrtcGetSupportedArchs":    nvrtcArchitectures,
	}
	amd.functions = map[string]any{
		"hiprtcVersion":           hiprtcVersion,
		"hiprtcGetErrorString":    errorText("HIPRTC_ERROR"),
		"hiprtcCreateProgram":     amd.create,
		"hiprtcDestroyProgram":    amd.destroy,
		"hiprtcCompileProgram":    amd.compile((*Compiler).compileHIP),
		"hiprtcAddNameExpression": amd.addExpression,
		"hiprtcGetLoweredName":    amd.loweredName,
		"hiprtcGetCodeSize":       amd.size(machine),
		"hiprtcGetCode":           amd.copy(machine),
		"hiprtcGetProgramLogSize": amd.size(plain),
		"hiprtcGetProgramLog":     amd.copy(plain),
	}
}

func nvrtcVersion(major, minor *int32) uintptr {
	c := nvidia.current.Load()
	if c == nil || major == nil || minor == nil {
		return invalidInput
	}
	*major, *minor = c.numbers()
	return success
}

// hiprtcVersion answers 9.0, as every release does.
func hiprtcVersion(major, minor *int32) uintptr {
	if major == nil || minor == nil {
		return invalidInput
	}
	*major, *minor = 9, 0
	return success
}

func nvrtcArchitectureCount(out *int32) uintptr {
	c := nvidia.current.Load()
	if c == nil || out == nil {
		return invalidInput
	}
	*out = int32(len(c.architectures()))
	return success
}

func nvrtcArchitectures(out *int32) uintptr {
	c := nvidia.current.Load()
	if c == nil || out == nil {
		return invalidInput
	}
	all := c.architectures()
	copy(unsafe.Slice(out, len(all)), all)
	return success
}

// errorText makes the function that names a result.
func errorText(prefix string) any {
	texts := map[uintptr][]byte{success: []byte(prefix[:len(prefix)-5] + "SUCCESS\x00")}
	for code, name := range map[uintptr]string{invalidInput: "INVALID_INPUT",
		invalidProgram: "INVALID_PROGRAM", invalidOption: "INVALID_OPTION",
		compilation: "COMPILATION", noNewNames: "NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
		noLoweredYet:      "NO_LOWERED_NAMES_BEFORE_COMPILATION",
		unknownExpression: "NAME_EXPRESSION_NOT_VALID"} {
		texts[code] = []byte(prefix + "_" + name + "\x00")
	}
	unknown := []byte(prefix + "_unknown\x00")
	return func(code uintptr) uintptr {
		text, ok := texts[code&0xffffffff]
		if !ok {
			text = unknown
		}
		return uintptr(unsafe.Pointer(&text[0])) // which is never freed
	}
}
