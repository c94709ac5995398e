package nvml

import "errors"

// Available returns nil if NVML can be used: there is a library and a driver, and it has at least
// one device. Otherwise the error is one for which [IsNoDevice] is true, or the library's error. It
// initializes the library and shuts it down again.
func Available() (err error) {
	if err := Init(); err != nil {
		return err
	}
	defer func() {
		if e := Shutdown(); err == nil {
			err = e
		}
	}()
	n, err := DeviceGetCount()
	if err != nil {
		return err
	}
	if n == 0 {
		return ErrGpuNotFound
	}
	return nil
}

// IsNoDevice reports whether err means that NVML cannot run on this machine: no library, no driver,
// or no device.
func IsNoDevice(err error) bool {
	return errors.Is(err, ErrLibraryNotFound) || errors.Is(err, ErrDriverNotLoaded) ||
		errors.Is(err, ErrGpuNotFound)
}
