//go:build !amd64 || windows

package sim

import "github.com/gpuevent/gpuevent/internal/host"

// byValue is a struct of 64 bytes behind one argument: the ABIs of arm64 and Windows pass a
// reference to a copy.
func byValue(fr *frame) *[host.DescriptorSize]byte { return arg[*[host.DescriptorSize]byte](fr, 1) }
