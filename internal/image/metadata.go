package image

import "strings"

// readMetadata reads the description of an AMD code object: its target and its kernels.
func readMetadata(b []byte) (target string, kernels []Kernel, err error) {
	p := &packed{rest: b}
	err = p.fields(func(key string) (err error) {
		switch key {
		case "amdhsa.target":
			target, err = p.text()
		case "amdhsa.kernels":
			err = p.each(func() error {
				k, err := p.kernel()
				kernels = append(kernels, k)
				return err
			})
		default:
			err = p.skip()
		}
		return err
	})
	if i := strings.Index(target, "gfx"); i >= 0 {
		target = target[i:] // without amdgcn-amd-amdhsa--
	}
	return target, kernels, err
}

// kernel reads the description of a kernel. Hidden parameters, which the runtime fills in, are left
// out.
func (p *packed) kernel() (Kernel, error) {
	k := Kernel{Resources: new(Resources), ParamsKnown: true}
	segment := uint32(0)
	err := p.fields(func(key string) (err error) {
		switch key {
		case ".name":
			k.Name, err = p.text()
		case ".args":
			err = p.each(func() error { return p.arg(&k) })
		case ".kernarg_segment_size":
			err = p.number(&segment)
		case ".max_flat_workgroup_size":
			err = p.number(&k.MaxThreads)
		case ".reqd_workgroup_size":
			err = p.numbers(&k.Block)
		case ".vgpr_count":
			err = p.number(&k.Resources.Registers)
		case ".sgpr_count":
			err = p.number(&k.Resources.ScalarRegisters)
		case ".group_segment_fixed_size":
			err = p.number(&k.Resources.Shared)
		case ".private_segment_fixed_size":
			err = p.number(&k.Resources.Local)
		case ".wavefront_size":
			err = p.number(&k.Resources.WaveSize)
		default:
			err = p.skip()
		}
		return err
	})
	if err == nil && k.Name == "" {
		err = malformed("its metadata has a kernel without a name")
	}
	if k.ParamSize > segment {
		k.Params, k.ParamsKnown, k.ParamSize = nil, false, 0
	}
	return k, err
}

// arg reads a parameter and adds it, unless it is hidden.
func (p *packed) arg(k *Kernel) error {
	v, kind := Param{}, ""
	err := p.fields(func(key string) (err error) {
		switch key {
		case ".offset":
			err = p.number(&v.Offset)
		case ".size":
			err = p.number(&v.Size)
		case ".value_kind":
			kind, err = p.text()
		default:
			err = p.skip()
		}
		return err
	})
	if err != nil || strings.HasPrefix(kind, "hidden_") {
		return err
	}
	switch kind {
	case "global_buffer":
		v.Kind = Pointer
	case "by_value":
		v = kinded(v.Offset, v.Size, 0)
	}
	end := uint64(v.Offset) + uint64(v.Size)
	if v.Offset < k.ParamSize || end > 1<<31 {
		return malformed("its metadata has parameters that lie over each other")
	}
	k.Params, k.ParamSize = append(k.Params, v), uint32(end)
	return nil
}
