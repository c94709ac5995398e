package rccl

import "github.com/gpuevent/gpuevent/internal/libs"

// Version is a version as the API encodes it: 10000*major + 100*minor + patch, so 22707 is 2.27.7.
type Version int

// LibraryVersion returns the version of the library. It needs no GPU.
func LibraryVersion() (Version, error) {
	v, err := GetVersion()
	return Version(v), err
}

// Major returns the major part: 2 of 2.27.7.
func (v Version) Major() int { return int(v) / 10_000 }

// Minor returns the minor part: 27 of 2.27.7.
func (v Version) Minor() int { return int(v) % 10_000 / 100 }

// AtLeast reports whether v is major.minor or newer.
func (v Version) AtLeast(major, minor int) bool { return int(v) >= 10_000*major+100*minor }

// String returns "2.27.7".
func (v Version) String() string { return libs.RCCL.Version.Text(int(v)) }

// Available returns nil if there is a library. Whether it finds GPUs and a network shows when a
// communicator is made. Otherwise the error is [ErrLibraryNotFound], with what was tried.
func Available() error {
	_, err := GetVersion()
	return err
}
