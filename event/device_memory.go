package event

// MemoryInfo is a device's total and free memory, in bytes.
type MemoryInfo struct {
	Total uint64
	// Free is what could be allocated at the time of the call; others may take it meanwhile.
	Free uint64
}

// Memory returns the device's total and free memory. On NVIDIA the driver answers for the primary
// context, which is created at first use. For the host it returns the machine's memory; free is
// what programs can get without swapping. If free memory can't be queried, the error is
// [ErrUnsupported]; Total is still set if it is known.
func (d *Device) Memory() (MemoryInfo, error) {
	const op = "Device.Memory"
	if err := d.present(op); err != nil {
		return MemoryInfo{}, err
	}
	total, free, err := d.driver.Memory()
	if err != nil {
		total = max(total, d.about.Memory)
	}
	return MemoryInfo{Total: total, Free: free}, failed(op, d, err)
}
