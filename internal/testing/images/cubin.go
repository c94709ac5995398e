package images

// Cubin returns machine code for an NVIDIA GPU, 90 for sm_90, as CUDA 12 makes it. It does not tell
// the kernels' parameters.
func Cubin(sm uint32, kernels []Kernel, variables ...Variable) []byte {
	const machine, abi, version = 190, 0x33, 7
	f := file{machine: machine, abi: abi, abiVersion: version, flags: sm<<16 | sm}
	f.addSymbols(kernels, variables)
	return f.bytes()
}
