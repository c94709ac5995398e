//go:build !linux && !windows

package dl

// secureStart is not told here beyond the user's and the group's number.
func secureStart() bool { return false }
