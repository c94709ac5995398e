// Command reduce sums a vector, on the first GPU or else on the host. The kernel is a C++ template,
// used for two types, and its threads work together in shared memory. A first pass leaves a sum for
// each block, and a second pass the sum of those.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/examples/internal/anywhere"
)

const elements = 10_000_000

// errWrong: a device computed something else than Go.
var errWrong = errors.New("a sum is wrong")

func main() {
	m, err := anywhere.Compile(context.Background(), os.Stderr, source)
	if err == nil {
		err = run(os.Stdout, m, elements)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "reduce:", err)
		os.Exit(1)
	}
}

// run sums the same numbers in both types, and closes the module.
func run(w io.Writer, m *compute.Module, n int) (err error) {
	defer func() { err = errors.Join(err, m.Close()) }()
	d := m.Device()
	fmt.Fprintf(w, "%v (%s) sums %d numbers, each 0.1, with one template:\n", d, d.Name(), n)
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	single, err := sum[float32](m, s, "reduce<float>", n)
	if err != nil {
		return err
	}
	double, err := sum[float64](m, s, "reduce<double>", n)
	if err != nil {
		return err
	}
	exact := 0.1 * float64(n)
	fmt.Fprintf(w, "  reduce<float>   %.3f\n", single)
	fmt.Fprintf(w, "  reduce<double>  %.3f\n", double)
	fmt.Fprintf(w, "  one by one      %.3f  (a loop in float32 rounds %d times)\n", oneByOne(n), n)
	fmt.Fprintf(w, "  exact           %.3f\n", exact)
	if !near(float64(single), exact, 1e-5) || !near(double, exact, 1e-12) {
		return errWrong
	}
	fmt.Fprintln(w, "Both are right. Sums of sums lose less than adding to one large number.")
	return nil
}

// oneByOne is the sum as a loop makes it.
func oneByOne(n int) (sum float32) {
	for range n {
		sum += 0.1
	}
	return sum
}

// near reports whether a sum is right but for rounding.
func near(got, want, relative float64) bool {
	return got-want <= relative*want && want-got <= relative*want
}

// sum sums n numbers in two passes. Between them nothing is copied to the host.
func sum[T float32 | float64](m *compute.Module, s *event.Stream, name string, n int) (
	total T, err error) {
	k, err := m.Kernel(name)
	if err != nil {
		return 0, err
	}
	x, err := compute.Alloc[T](s, n)
	if err != nil {
		return 0, err
	}
	defer x.Close()
	if err := x.Fill(s, 0.1); err != nil {
		return 0, err
	}
	first := shape[T](min(most, (n+threads-1)/threads))
	sums, err := compute.Alloc[T](s, int(first.Grid.X))
	if err != nil {
		return 0, err
	}
	defer sums.Close()
	if err := k.Launch(s, first, int32(n), x, sums); err != nil {
		return 0, err
	}
	// One block, which writes where it has read before.
	if err := k.Launch(s, shape[T](1), int32(sums.Len()), sums, sums); err != nil {
		return 0, err
	}
	result, err := sums.Slice(0, 1)
	if err != nil {
		return 0, err
	}
	one, err := result.Read(s)
	if err != nil {
		return 0, err
	}
	return one[0], nil
}
