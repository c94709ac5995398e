//go:build unix

package sim

import (
	"os"
	"syscall"
)

func mapPage(file *os.File) ([]byte, error) {
	return syscall.Mmap(int(file.Fd()), 0, pageBytes, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED)
}

func unmapPage(page []byte) { _ = syscall.Munmap(page) }
