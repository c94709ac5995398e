package driver

// totalMemory is the size of the machine's memory in bytes; 0 if unknown.
func totalMemory() uint64 {
	total, _, _ := hostMemory()
	return total
}

// Memory returns the machine's memory.
func (h *hostDevice) Memory() (total, free uint64, err error) {
	total, free, ok := hostMemory()
	if !ok {
		return 0, 0, &Refusal{ErrUnsupported,
			"the memory of the machine is known on Linux and Windows only"}
	}
	return total, free, nil
}
