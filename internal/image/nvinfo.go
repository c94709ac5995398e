package image

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// Attributes of the records in sections .nv.info.
const (
	attributeMaxThreads = 0x05 // three numbers
	attributeBlock      = 0x10 // three numbers
	attributeFrame      = 0x11 // symbol, bytes of a thread's own memory
	attributeParam      = 0x17 // index, ordinal and offset, size above bit 18
	attributeParamSize  = 0x19 // of all parameters, in the record's own 16 bits
	attributeRegisters  = 0x2f // symbol, registers
	attributeCluster    = 0x3d // three numbers; 1, 1, 1 with a block size
	attributeLongParam  = 0x45 // as Param, for kernels with more than 4 KiB; size in 16 bits
)

// record is one of a section .nv.info.
type record struct {
	attribute byte
	value     uint16 // if there is no payload
	payload   []byte
}

// formatSized is the format of records with a payload.
const formatSized = 4

func records(b []byte, each func(record)) error {
	for len(b) >= 4 {
		r := record{attribute: b[1], value: binary.LittleEndian.Uint16(b[2:])}
		format := b[0]
		b = b[4:]
		if format == formatSized {
			if int(r.value) > len(b) {
				return malformed("a record of kernel information is longer than its section")
			}
			r.payload, b = b[:r.value], b[r.value:]
		}
		each(r)
	}
	return nil
}

// readKernelInfo reads what is recorded about one kernel.
func readKernelInfo(k *Kernel, b []byte) error {
	le := binary.LittleEndian
	var params []numbered
	total := uint32(0)
	err := records(b, func(r record) {
		if r.attribute == attributeParamSize && r.payload == nil {
			total = uint32(r.value)
		}
		if len(r.payload) < 12 {
			return
		}
		w := [3]uint32{le.Uint32(r.payload), le.Uint32(r.payload[4:]), le.Uint32(r.payload[8:])}
		switch r.attribute {
		case attributeMaxThreads:
			k.MaxThreads = volume(w)
		case attributeBlock:
			k.Block, k.MaxThreads = w, volume(w)
		case attributeCluster:
			if w != [3]uint32{1, 1, 1} {
				k.Cluster = w
			}
		case attributeParam:
			params = append(params, numbered{w[1] & 0xffff,
				kinded(w[1]>>16, w[2]>>18, w[2]>>8&15)})
		case attributeLongParam:
			params = append(params, numbered{w[1] & 0xffff,
				kinded(w[1]>>16, w[2]&0xffff, w[2]>>24&15)})
		}
	})
	if err != nil {
		return err
	}
	k.Params, k.ParamsKnown = inOrder(params, total)
	if k.ParamsKnown {
		k.ParamSize = total
	} else {
		k.Params = nil
	}
	return nil
}

// numbered is a parameter with its place.
type numbered struct {
	ordinal uint32
	param   Param
}

// kinded makes a parameter of what a record says. A memory space other than 0 is that of what the
// parameter points at; since CUDA 13 code for sm_100 on has it.
func kinded(offset, size, space uint32) Param {
	p := Param{Offset: offset, Size: size}
	switch {
	case space != 0:
		p.Kind = Pointer
	case size != 1 && size != 2 && size != 4 && size != 8:
		p.Kind = Bytes
	}
	return p
}

// inOrder puts parameters, which are recorded last to first, in their order, and reports whether
// they add up: each place once, none over another, and as many bytes as are recorded for all.
func inOrder(list []numbered, total uint32) ([]Param, bool) {
	if len(list) == 0 {
		return nil, total == 0
	}
	slices.SortFunc(list, func(a, b numbered) int { return cmp.Compare(a.ordinal, b.ordinal) })
	params := make([]Param, len(list))
	end := uint32(0)
	for i, n := range list {
		if n.ordinal != uint32(i) || n.param.Offset < end {
			return nil, false
		}
		params[i], end = n.param, n.param.Offset+n.param.Size
	}
	return params, end == total
}
