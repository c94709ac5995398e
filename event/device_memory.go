package event

// MemoryInfo is how much memory a device has, in bytes.
type MemoryInfo struct {
	Total uint64
	// Free is what could be allocated at the time of the call; others may take it meanwhile.
	Free uint64
}

// Memory returns the device's memory. On NVIDIA it is asked for in the primary context, which is
// made if this is its first use. The host's is the machine's memory, and free is what programs can
// have without swapping. If free memory can't be asked for, the error is [ErrUnsupported], and Total
// is still set if it is known.
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
