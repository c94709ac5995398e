//go:build !windows

package dl

import (
	"os"
	"sync"
)

// elevated reports whether the process has rights that the user who started it lacks.
var elevated = sync.OnceValue(func() bool {
	return secureStart() || os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid()
})
