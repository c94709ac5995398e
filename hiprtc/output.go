package hiprtc

import "github.com/gpuevent/gpuevent/internal/rtc"

// Output returns what a pair of functions, one of which tells the size, gives of a program; nil if
// that is nothing:
//
//	code, err := hiprtc.Output(prog, hiprtc.GetCodeSize, hiprtc.GetCode)
func Output(prog Program, size func(Program) (uintptr, error), get func(Program, *byte) error) (
	[]byte, error) {
	return rtc.Output(prog, size, get)
}

// Log returns the messages of compiling a program: errors, and warnings also on success. Paths in
// them have a folder of a random name, which exists no more.
func Log(prog Program) (string, error) {
	return rtc.Log(prog, GetProgramLogSize, GetProgramLog)
}

// Strings makes a list of texts for [CompileProgram], and of headers and their names for
// [CreateProgram]. It returns how many there are and their array, which lives as long as the
// pointer to it. A text that contains a NUL byte is an error.
func Strings(texts ...string) (n int32, list **byte, err error) { return rtc.Strings(texts) }
