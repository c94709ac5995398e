package image

import (
	"encoding/binary"
	"math"
)

// packed reads MessagePack, without building what it reads.
type packed struct {
	rest  []byte
	depth int
}

// deepest is how far maps and arrays may lie in each other; AMD's metadata has three levels.
const deepest = 16

func badPack() error { return malformed("its metadata is no valid MessagePack") }

// take returns the next n bytes.
func (p *packed) take(n uint64) ([]byte, error) {
	if n > uint64(len(p.rest)) {
		return nil, truncated("its metadata ends early")
	}
	b := p.rest[:n]
	p.rest = p.rest[n:]
	return b, nil
}

// length reads a number of 1, 2, 4 or 8 bytes.
func (p *packed) length(bytes uint64) (uint64, error) {
	b, err := p.take(bytes)
	if err != nil {
		return 0, err
	}
	switch bytes {
	case 1:
		return uint64(b[0]), nil
	case 2:
		return uint64(binary.BigEndian.Uint16(b)), nil
	case 4:
		return uint64(binary.BigEndian.Uint32(b)), nil
	}
	return binary.BigEndian.Uint64(b), nil
}

// shape is what a value is.
type shape uint8

const (
	aScalar shape = iota // nil, a boolean or a float
	anInteger
	aText // or bytes
	anArray
	aMap
)

// begin reads the beginning of a value: what it is, and its number, its bytes or its items.
func (p *packed) begin() (s shape, n uint64, err error) {
	first, err := p.take(1)
	if err != nil {
		return 0, 0, err
	}
	c := first[0]
	switch {
	case c < 0x80:
		return anInteger, uint64(c), nil
	case c < 0x90:
		return aMap, uint64(c & 15), nil
	case c < 0xa0:
		return anArray, uint64(c & 15), nil
	case c < 0xc0:
		return aText, uint64(c & 31), nil
	case c >= 0xe0: // negative
		return anInteger, math.MaxUint64, nil
	}
	sized := func(s shape, bytes uint64) (shape, uint64, error) {
		n, err := p.length(bytes)
		return s, n, err
	}
	switch c {
	case 0xc0, 0xc2, 0xc3:
		return aScalar, 0, nil
	case 0xc4, 0xd9:
		return sized(aText, 1)
	case 0xc5, 0xda:
		return sized(aText, 2)
	case 0xc6, 0xdb:
		return sized(aText, 4)
	case 0xca:
		return sized(aScalar, 4)
	case 0xcb:
		return sized(aScalar, 8)
	case 0xcc, 0xd0:
		return sized(anInteger, 1)
	case 0xcd, 0xd1:
		return sized(anInteger, 2)
	case 0xce, 0xd2:
		return sized(anInteger, 4)
	case 0xcf, 0xd3:
		return sized(anInteger, 8)
	case 0xdc:
		return sized(anArray, 2)
	case 0xdd:
		return sized(anArray, 4)
	case 0xde:
		return sized(aMap, 2)
	case 0xdf:
		return sized(aMap, 4)
	}
	return 0, 0, badPack() // extensions, which the metadata has not
}

// text reads a text.
func (p *packed) text() (string, error) {
	s, n, err := p.begin()
	if err != nil {
		return "", err
	}
	if s != aText || n > longestName {
		return "", badPack()
	}
	b, err := p.take(n)
	return string(b), err
}

// number reads a number; one that does not fit is an error.
func (p *packed) number(to *uint32) error {
	s, n, err := p.begin()
	if err != nil {
		return err
	}
	if s != anInteger || n > math.MaxUint32 {
		return badPack()
	}
	*to = uint32(n)
	return nil
}

// numbers reads an array of three numbers.
func (p *packed) numbers(to *[3]uint32) error {
	i := 0
	return p.each(func() error {
		if i == len(to) {
			return badPack()
		}
		i++
		return p.number(&to[i-1])
	})
}

// each reads an array; item reads one item.
func (p *packed) each(item func() error) error {
	s, n, err := p.begin()
	if err != nil {
		return err
	}
	if s != anArray {
		return badPack()
	}
	return p.nested(n, item)
}

// fields reads a map; value reads the value of a key.
func (p *packed) fields(value func(key string) error) error {
	s, n, err := p.begin()
	if err != nil {
		return err
	}
	if s != aMap {
		return badPack()
	}
	return p.nested(n, func() error {
		key, err := p.text()
		if err != nil {
			return err
		}
		return value(key)
	})
}

func (p *packed) nested(n uint64, item func() error) error {
	if p.depth++; p.depth > deepest {
		return badPack()
	}
	defer func() { p.depth-- }()
	for range n {
		if err := item(); err != nil {
			return err
		}
	}
	return nil
}

// skip reads any value.
func (p *packed) skip() error {
	s, n, err := p.begin()
	if err != nil {
		return err
	}
	switch s {
	case aText:
		_, err = p.take(n)
	case anArray:
		err = p.nested(n, p.skip)
	case aMap:
		err = p.nested(n, func() error {
			if err := p.skip(); err != nil {
				return err
			}
			return p.skip()
		})
	}
	return err
}
