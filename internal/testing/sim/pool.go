package sim

// pool is memory of a device that stream-ordered allocations come from. The lock of [memory] guards
// it.
type pool struct {
	object
	device   *device
	used     uintptr // in allocations
	reserved uintptr // taken from the device
}
