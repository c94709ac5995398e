//go:build !amd64 || windows

package sim

// byValue is a struct of 64 bytes behind one argument: the ABIs of arm64 and Windows pass a
// reference to a copy.
func byValue(fr *frame) *descriptor { return arg[*descriptor](fr, 1) }
