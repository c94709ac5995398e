package main

// absent is a number that a GPU does not report.
const absent = -1

// gpu is what one GPU reports at one time. Each number may be absent.
type gpu struct {
	name        string
	utilization int64 // percent
	memoryUsed  int64 // bytes
	memoryTotal int64 // bytes
	temperature int64 // degrees Celsius
	power       int64 // milliwatts
	powerLimit  int64 // milliwatts
	processes   []process
}

// process is one that uses a GPU.
type process struct {
	pid    uint32
	memory int64 // bytes of the GPU's memory, or absent
	name   string
}

// vendor reads the GPUs of one vendor.
type vendor interface {
	read() ([]gpu, error)
	close()
}
