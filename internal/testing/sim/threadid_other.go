//go:build !linux && !windows

package sim

import (
	"sync"

	"github.com/ebitengine/purego"
)

var pthreadSelf = sync.OnceValue(func() uintptr {
	fn, err := purego.Dlsym(purego.RTLD_DEFAULT, "pthread_self")
	if err != nil {
		panic(err)
	}
	return fn
})

// threadID numbers the calling OS thread. A callback runs on the thread that called it.
func threadID() uint64 {
	id, _, _ := purego.SyscallN(pthreadSelf())
	return uint64(id)
}
