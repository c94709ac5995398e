package cudrv

import "errors"

// Available returns nil if CUDA can be used: there is a library, and it has at least one device.
// Otherwise the error is [ErrLibraryNotFound], [ErrNoDevice] or the driver's error. It calls
// cuInit, which takes some tens of milliseconds the first time.
func Available() error {
	if err := Init(0); err != nil {
		return err
	}
	n, err := DeviceGetCount()
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrNoDevice
	}
	return nil
}

// IsNoDevice reports whether err means that CUDA cannot run on this machine: no library, or no
// device.
func IsNoDevice(err error) bool {
	return errors.Is(err, ErrLibraryNotFound) || errors.Is(err, ErrNoDevice)
}
