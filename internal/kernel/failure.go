package kernel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Failure is the error of a launch of which a kernel panicked or called runtime.Goexit.
type Failure struct {
	Kernel string
	Block  Dim    // position of the block in the grid
	Value  any    // of the panic, or ErrGoexit
	Stack  []byte // as debug.Stack gives it
}

// Error names kernel, block and what the kernel panicked with.
func (f *Failure) Error() string {
	return fmt.Sprintf("kernel %s failed in block %v: %v", f.Kernel, f.Block, f.Value)
}

// Unwrap returns ErrFailed, ErrIllegalAddress if that is what it is, and Value if it is an error.
func (f *Failure) Unwrap() []error {
	errs := []error{ErrFailed}
	if f.IllegalAddress() {
		errs = append(errs, ErrIllegalAddress)
	}
	if err, ok := f.Value.(error); ok {
		errs = append(errs, err)
	}
	return errs
}

// illegal has the runtime's texts for accesses that would be illegal on a GPU.
var illegal = []string{
	"index out of range",
	"slice bounds out of range",
	"cannot convert slice with length",
	"invalid memory address",
}

// IllegalAddress reports whether the kernel used an index outside a slice or an array, or a nil
// pointer, as opposed to any other panic.
func (f *Failure) IllegalAddress() bool {
	err, ok := f.Value.(runtime.Error)
	if !ok {
		return false
	}
	text := strings.TrimPrefix(err.Error(), "runtime error: ")
	for _, prefix := range illegal {
		if strings.HasPrefix(text, prefix) {
			return true
		}
	}
	return false
}

// fail returns the failure of a block; value is what recover returned in its deferred function.
func (f *Func) fail(block Dim, value any) *Failure {
	if value == nil {
		value = ErrGoexit
	}
	return &Failure{Kernel: f.name, Block: block, Value: value, Stack: debug.Stack()}
}
