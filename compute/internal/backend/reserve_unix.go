//go:build unix

package backend

import (
	"math"
	"syscall"
)

// reserve returns why the system does not give the process so much memory at present: its limit of
// address space, or more than the machine has. It takes none.
func reserve(bytes uintptr) error {
	if bytes > math.MaxInt {
		return syscall.ENOMEM
	}
	b, err := syscall.Mmap(-1, 0, int(bytes), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return err
	}
	return syscall.Munmap(b)
}
