package event

// Do runs f on a locked OS thread with the device's primary context (NVIDIA) or the device (AMD)
// current, as raw calls through cudrv or hip need it. Afterwards the thread's own context or device
// is current again, even if f panics, calls [runtime.Goexit] or makes another one current. On the
// host Do just runs f.
//
// The methods of this package don't need it. Raw calls do that allocate memory, load modules,
// launch on the default stream or refer to the current device. Calls of Do may nest, also for
// different devices.
//
// Do returns f's error unchanged. If the context or the device can't be made current, f does not
// run and the error is a [DriverError]. A failure to restore the thread is joined to f's error.
func (d *Device) Do(f func() error) error {
	const op = "Device.Do"
	if err := d.present(op); err != nil {
		return err
	}
	if f == nil {
		return &Error{op, d.String(), ErrInvalidOption, "the function is nil"}
	}
	var own error
	err := d.driver.Do(func() { own = f() })
	return joinLater(own, failed(op, d, err))
}
