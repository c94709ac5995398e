//go:build !(((linux && !android) || (darwin && !ios) || windows) && (amd64 || arm64))

package ccall

// Supported reports whether C can be called on this target. Here it can't: no library opens, so no
// C function has an address, and package dl reports a missing library before any call is made.
const Supported = false

// notCalled is the result of a call that can't be made. No vendor's code is negative.
const notCalled = -1

// NewCallback returns 0: there is no C code to call back.
func NewCallback(any) uintptr { return 0 }

// Call makes no call here.
func (r *Regs) Call() int32 { return notCalled }

// Call makes no call here.
func (w *Words) Call() int32 { return notCalled }

func (f *Frame) enter() {}

func run(steps []Step) bool { return runEach(steps, func(*Step) int32 { return notCalled }) }
