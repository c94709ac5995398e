package event

// Do runs f where calls through cudrv or hip find the device: on a goroutine that stays on one OS
// thread, with the device's primary context (NVIDIA) or the device (AMD) current. Afterwards the
// thread has what it had before, also where f panics, calls [runtime.Goexit] or makes something
// else current. On the host it just runs f.
//
// The methods of this package don't need it. Raw calls do: those that allocate memory, load
// modules, launch on the default stream or speak of the current device. Calls of Do may nest, also
// of different devices.
//
// The error is f's own, as it is. If the context or the device can't be made current, f does not
// run and the error is a [DriverError]. One to give the thread its own back is joined to f's.
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
