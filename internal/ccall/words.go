package ccall

// Limits of the two plain forms of a call.
const (
	MaxRegs  = 6  // words in [Regs]: what the System V ABI of amd64 passes in registers
	MaxWords = 16 // words in [Words]: what the widest function of both APIs takes
)

// Regs is a call of up to six argument words. Words after the last argument are passed as 0 and
// cost nothing.
type Regs struct {
	Fn uintptr // the address of the C function, never 0
	A  [MaxRegs]uintptr
}

// Words is a call of up to sixteen argument words.
type Words struct {
	Fn uintptr // the address of the C function, never 0
	A  [MaxWords]uintptr
}
