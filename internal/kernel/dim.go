package kernel

import (
	"fmt"
	"math"
	"math/bits"
)

// Dim is a size or a position in a grid or in a block.
type Dim struct{ X, Y, Z uint32 }

// String formats d as (4, 2, 1).
func (d Dim) String() string { return fmt.Sprintf("(%d, %d, %d)", d.X, d.Y, d.Z) }

// Size returns X * Y * Z.
func (d Dim) Size() int { return int(d.X) * int(d.Y) * int(d.Z) }

// linear returns the number of the element at p if elements of d are counted X first.
func (d Dim) linear(p Dim) int { return (int(p.Z)*int(d.Y)+int(p.Y))*int(d.X) + int(p.X) }

// at returns the position of element i, the inverse of linear.
func (d Dim) at(i int) Dim {
	x, y := int(d.X), int(d.Y)
	return Dim{uint32(i % x), uint32(i / x % y), uint32(i / x / y)}
}

// next returns the position after p.
func (d Dim) next(p Dim) Dim {
	if p.X++; p.X < d.X {
		return p
	}
	p.X = 0
	if p.Y++; p.Y < d.Y {
		return p
	}
	p.Y = 0
	p.Z++
	return p
}

// count multiplies all sizes of the dimensions; ok reports whether the product fits an int.
func count(dims ...Dim) (n int, ok bool) {
	product := uint64(1)
	for _, d := range dims {
		for _, size := range [...]uint32{d.X, d.Y, d.Z} {
			high, low := bits.Mul64(product, uint64(size))
			if high != 0 {
				return 0, false
			}
			product = low
		}
	}
	return int(product), product <= math.MaxInt
}
