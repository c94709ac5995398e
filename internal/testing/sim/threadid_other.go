//go:build !linux && !windows

package sim

import (
	"sync"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

var pthreadSelf = sync.OnceValue(func() uintptr { return ccall.LibC("pthread_self") })

// threadID numbers the calling OS thread. A callback runs on the thread that called it.
func threadID() uint64 {
	f := ccall.New(pthreadSelf())
	defer f.Free()
	f.Call()
	return uint64(f.R0)
}
