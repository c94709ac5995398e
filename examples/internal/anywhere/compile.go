// Package anywhere compiles the kernels of examples where they run: on the first GPU or, if there
// is none or no compiler for it, on the host.
package anywhere

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// Compile compiles a source for the first GPU, or for the host if there is no GPU. For a GPU
// without a compiler it writes what to install, and compiles for the host.
func Compile(ctx context.Context, w io.Writer, s compute.Source) (*compute.Module, error) {
	d := event.Default()
	m, err := compute.Compile(ctx, d, s)
	if !errors.Is(err, compute.ErrNotInstalled) {
		return m, err
	}
	fmt.Fprintf(w, "%v\nNo kernel can be compiled for %v (%s), so this runs on the host.\n\n", err, d,
		d.Name())
	if d, err = event.Open("host"); err != nil {
		return nil, err
	}
	return compute.Compile(ctx, d, s)
}
