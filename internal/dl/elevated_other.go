//go:build !linux && !windows

package dl

// secureStart is false: here only the user and group ids are compared.
func secureStart() bool { return false }
