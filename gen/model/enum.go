package model

import "math"

// unsigned64 reports an enum with a value over 63 bits, which is kept as the negative number with
// the same bits.
func (e *Enum) unsigned64() bool { return e.Wide && !e.Signed }

// Fit sets Signed and Wide as a C compiler chooses the type for the values, in all their variants.
// over says that negative numbers stand for values over 63 bits.
func (e *Enum) Fit(over bool) {
	low, high, beyond := int64(0), int64(0), false
	take := func(v int64) {
		if over && v < 0 {
			beyond = true
			return
		}
		low, high = min(low, v), max(high, v)
	}
	for _, v := range e.Values {
		take(v.Value)
		for _, x := range v.Variants {
			take(x.Value)
		}
	}
	e.Signed = low < 0
	e.Wide = beyond || high > math.MaxUint32 || low < math.MinInt32 ||
		e.Signed && high > math.MaxInt32
}
