package dl

import "github.com/ebitengine/purego"

// atSecure is AT_SECURE of the auxiliary vector.
const atSecure = 23

// secureStart tells whether the kernel gave the process more rights at its start: setuid, setgid, file capabilities or
// those of a security module. The C library is asked, for /proc/self/auxv is often closed to just these processes.
func secureStart() bool {
	getauxval, err := purego.Dlsym(purego.RTLD_DEFAULT, "getauxval")
	if err != nil {
		return false
	}
	secure, _, _ := purego.SyscallN(getauxval, atSecure)
	return secure != 0
}
