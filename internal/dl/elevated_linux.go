package dl

import "github.com/gpuevent/gpuevent/internal/ccall"

// atSecure is AT_SECURE of the auxiliary vector.
const atSecure = 23

// secureStart reports whether the kernel gave the process more rights at its start: setuid, setgid,
// file capabilities or those of a security module. It calls the C library, because /proc/self/auxv
// is often not readable for these processes.
func secureStart() bool {
	getauxval := ccall.LibC("getauxval")
	if getauxval == 0 {
		return false
	}
	call := ccall.Regs{Fn: getauxval, A: [ccall.MaxRegs]uintptr{atSecure}}
	return call.Call() != 0
}
