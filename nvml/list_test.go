package nvml_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/nvml"
)

func TestList(t *testing.T) {
	t.Parallel()
	lost := errors.New("lost")
	for name, c := range map[string]struct {
		// what the function does with an array of the length n
		fill func(call, n int) (count int, err error)
		want int
		err  error
	}{
		"nothing there": {func(_, n int) (int, error) { return 0, nil }, 0, nil},
		"too small, then enough": {func(_, n int) (int, error) {
			if n < 5 {
				return 5, nvml.ErrInsufficientSize
			}
			return 5, nil
		}, 5, nil},
		"the question succeeds": {func(call, n int) (int, error) { return 5, nil }, 5, nil},
		"fewer than were announced": {func(call, n int) (int, error) {
			if call == 1 {
				return 9, nvml.ErrInsufficientSize
			}
			return 2, nil
		}, 2, nil},
		"none any more": {func(call, n int) (int, error) {
			if call == 1 {
				return 9, nvml.ErrInsufficientSize
			}
			return 0, nil
		}, 0, nil},
		"more each time": {func(call, n int) (int, error) {
			if call < 9 {
				return 2*n + 1, nvml.ErrInsufficientSize
			}
			return n, nil
		}, -1, nil},
		"not said how many": {func(_, n int) (int, error) {
			if n < 100 {
				return 0, nvml.ErrInsufficientSize
			}
			return 100, nil
		}, 100, nil},
		"wrapped": {func(_, n int) (int, error) {
			if n < 3 {
				return 3, fmt.Errorf("call: %w", nvml.ErrInsufficientSize)
			}
			return 3, nil
		}, 3, nil},
		"another failure": {func(_, _ int) (int, error) { return 4, lost }, 0, lost},
		"it fails when filling": {func(call, n int) (int, error) {
			return 4, map[int]error{2: lost}[call]
		}, 0, lost},
		"never enough": {func(_, n int) (int, error) {
			return n + 1, nvml.ErrInsufficientSize
		}, 0, nvml.ErrInsufficientSize},
		"more is promised for ever": {func(_, n int) (int, error) {
			return n + 1, nil
		}, 0, nvml.ErrInsufficientSize},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			got, err := nvml.List(func(count *uint32, first *uint64) error {
				calls++
				assert.LessOrEqual(t, calls, 64, "it comes to an end")
				assert.Equal(t, *count == 0, first == nil)
				n, err := c.fill(calls, int(*count))
				*count = uint32(n)
				return err
			})
			if c.err != nil {
				assert.ErrorIs(t, err, c.err)
				assert.Nil(t, got)
				return
			}
			assert.NoError(t, err)
			if c.want >= 0 {
				assert.Len(t, got, c.want)
			}
		})
	}
}
