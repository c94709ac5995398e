package hip

import "errors"

// Available returns nil if HIP can be used: there is a library, and it has at least one device.
// Otherwise the error is [ErrLibraryNotFound], one for which [IsNoDevice] is true, or the runtime's
// error.
func Available() error {
	n, err := GetDeviceCount()
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrNoDevice
	}
	return nil
}

// IsNoDevice reports whether err means that HIP cannot run on this machine: no library, or no
// device. Runtimes return different codes if there is no device: [ErrNoDevice] (100),
// [ErrInvalidDevice] (101, ROCm 5) or [ErrNotInitialized] (3, chipStar).
func IsNoDevice(err error) bool {
	return errors.Is(err, ErrLibraryNotFound) || errors.Is(err, ErrNoDevice) ||
		errors.Is(err, ErrInvalidDevice) ||
		errors.Is(err, ErrNotInitialized)
}
