package kernel

// Placeholder of branch c-kernel's package.

type Dim struct{ X, Y, Z uint32 }
type Func struct{}
