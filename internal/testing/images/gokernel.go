package images

import "github.com/gpuevent/gpuevent/internal/kernel"

// KernelOf returns the C kernel that a Go kernel stands for, as an image has it.
func KernelOf(name string, fn any) (Kernel, error) {
	f, err := kernel.Of(fn)
	if err != nil {
		return Kernel{}, err
	}
	return Kernel{Name: name, Params: ParamsOf(f)}, nil
}

// ParamsOf returns the parameters of the C kernel that a Go kernel stands for.
func ParamsOf(f *kernel.Func) (list []Param) {
	for _, p := range f.Params() {
		list = append(list, Param{uint32(p.Size), uint32(p.Align), p.Kind.InImage()})
	}
	return list
}
