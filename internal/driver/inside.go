package driver

// Insider is a device whose calls depend on what is current on the thread.
type Insider interface {
	// Inside runs f, which must not panic, on a locked thread with the device's context or the
	// device current, and restores the thread's own.
	Inside(f func() error) error
}

// Inside makes the context of the device current.
func (c *cudaDevice) Inside(f func() error) error { return c.inside(f) }

// Inside makes the device current.
func (h *hipDevice) Inside(f func() error) error { return h.inside(f) }
