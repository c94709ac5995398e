package images

import (
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/internal/image"
)

// Cubin makes a cubin for "sm_80" or "sm_90a": for sm_100 and newer as CUDA 13 does, for older ones
// as CUDA 12.
func Cubin(target string, kernels ...Kernel) []byte {
	return Module{Kernels: kernels}.Cubin(target)
}

// Cubin makes a cubin as the function of that name.
func (m Module) Cubin(target string) []byte {
	number := strings.TrimPrefix(target, "sm_")
	sm, err := strconv.Atoi(strings.TrimRight(number, "af"))
	if err != nil {
		panic("images: no such target: " + target)
	}
	specific := strings.HasSuffix(number, "a")
	c := cubin{newer: sm >= 100, table: newTable()}
	osabi, abi, flags := byte(0x33), byte(7), uint32(sm<<16|0x500|sm)
	if specific {
		flags |= 0x800
	}
	if c.newer {
		osabi, abi, flags = 0x41, 8, uint32(0x06000002|sm<<8)
		if specific {
			flags |= 8
		}
	}
	// The order: names, symbols, what is told of all, and three sections a kernel.
	for i, k := range m.Kernels {
		c.add(uint32(i+1), k, sm >= 90)
	}
	for _, g := range m.Globals {
		c.symbol(g.Name, 0x11, 0, 1, uint64(g.Size))
	}
	sections := append([]section{{name: ".strtab", kind: 3, data: c.names},
		{name: ".symtab", kind: 2, link: 1, data: c.symbols},
		{name: ".nv.info", kind: infoKind, link: 2, data: c.all}}, c.own...)
	return elf(190, osabi, abi, flags, sections)
}

const infoKind = 0x70000000

type cubin struct {
	newer bool
	table
	all []byte    // records of all kernels
	own []section // of each
}

// add adds a kernel; its symbol has the number i.
func (c *cubin) add(i uint32, k Kernel, reserves bool) {
	text := uint16(4 + len(c.own))
	c.symbol(k.Name, 0x12, 0x10, text, 16)
	c.all = append(c.all, words(0x2f, i, k.Registers)...)
	c.all = append(c.all, words(0x11, i, k.Local)...)

	shared := uint64(k.Shared)
	if reserves {
		shared += 1024
	}
	c.own = append(c.own,
		section{name: ".text." + k.Name, kind: 1, link: 2, info: i, data: make([]byte, 16)},
		section{name: ".nv.info." + k.Name, kind: infoKind, link: 2, info: uint32(text),
			data: c.info(k)},
		section{name: ".nv.shared." + k.Name, kind: 8, info: uint32(text), size: shared})
}

// info is what is recorded of one kernel, its parameters last to first.
func (c *cubin) info(k Kernel) (b []byte) {
	params, size := Layout(k.Params...)
	for i := len(params) - 1; i >= 0; i-- {
		p, space := params[i], uint32(0)
		if c.newer && p.Kind == image.Pointer {
			space = 5
		}
		place := uint32(i) | p.Offset<<16
		if size > 4096 {
			b = append(b, words(0x45, 0, place, p.Size|space<<24)...)
		} else {
			b = append(b, words(0x17, 0, place, p.Size<<18|0x1f000|space<<8)...)
		}
	}
	b = append(b, 3, 0x1b, 0xff, 0)
	switch {
	case k.Block != [3]uint32{}:
		b = append(b, words(0x3d, 1, 1, 1)...)
		b = append(b, words(0x10, k.Block[:]...)...)
	case k.MaxThreads != 0:
		b = append(b, words(0x05, k.MaxThreads, 1, 1)...)
	}
	if k.Cluster != [3]uint32{} {
		b = append(b, words(0x3d, k.Cluster[:]...)...)
	}
	if size > 0 {
		b = append(b, 3, 0x19, byte(size), byte(size>>8))
	}
	return b
}

// words is a record.
func words(attribute byte, values ...uint32) []byte {
	b := []byte{4, attribute, byte(4 * len(values)), 0}
	for _, v := range values {
		b = le.AppendUint32(b, v)
	}
	return b
}
