package images

import "encoding/binary"

// packer writes MessagePack.
type packer struct{ b []byte }

// fields begins a map of n pairs.
func (p *packer) fields(n int) { p.sized(0xde, n) }

// list begins an array of n elements.
func (p *packer) list(n int) { p.sized(0xdc, n) }

func (p *packer) sized(kind byte, n int) {
	p.b = binary.BigEndian.AppendUint16(append(p.b, kind), uint16(n))
}

func (p *packer) text(s string) {
	p.sized(0xda, len(s))
	p.b = append(p.b, s...)
}

func (p *packer) number(n uint32) {
	p.b = binary.BigEndian.AppendUint32(append(p.b, 0xce), n)
}
