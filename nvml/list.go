package nvml

import (
	"errors"
	"unsafe"
)

// listTries bounds the calls that [List] makes. Each asks for at least what the one before needed.
const listTries = 32

// List collects an array of unknown length: it calls fill with growing arrays until all elements
// fit. fill passes count and first on to a function of this package that reads the length of the
// array at first from count and stores there how many elements it filled or needs. In the first
// call the length is 0 and first is nil.
//
//	clocks, err := nvml.List(func(count, first *uint32) error {
//		return nvml.DeviceGetSupportedMemoryClocks(dev, count, first)
//	})
//
// Texts whose size is read and written are lists of bytes. List returns what fill returns if that
// is neither nil nor [ErrInsufficientSize]. If the array still grows after 32 calls, it gives up
// with [ErrInsufficientSize].
func List[T any](fill func(count *uint32, first *T) error) ([]T, error) {
	var elements []T
	for range listTries {
		count := uint32(len(elements))
		err := fill(&count, unsafe.SliceData(elements))
		switch n := int(count); {
		case err == nil && n <= len(elements):
			return elements[:n], nil
		case err != nil && !errors.Is(err, ErrInsufficientSize):
			return nil, err
		case n > len(elements):
			elements = make([]T, n+n/4) // some room: more may come before the next call
		default: // too small, but not said by how much
			elements = make([]T, max(16, 2*len(elements)))
		}
	}
	return nil, ErrInsufficientSize
}
