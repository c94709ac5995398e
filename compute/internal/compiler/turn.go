package compiler

import (
	"context"
	"fmt"
)

// turn lets one goroutine at a time compile with a library, which has a lock of its own that no
// context ends a wait for.
type turn chan struct{}

func newTurn() turn { return make(turn, 1) }

// do waits for its turn and runs f in a goroutine of its own. If the context ends first, do returns
// at once. f then goes on, because no call into a library can be taken back; what it returns is
// dropped, and the next turn is after its end.
func (t turn) do(ctx context.Context, j *job, compiler string, f func() (Result, error)) (
	Result, error) {
	if ctx.Err() != nil {
		return Result{}, ended(ctx, j, compiler)
	}
	select {
	case t <- struct{}{}:
	case <-ctx.Done():
		return Result{}, ended(ctx, j, compiler)
	}
	type outcome struct {
		result Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		r, err := f()
		<-t
		done <- outcome{r, err}
	}()
	select {
	case o := <-done:
		if ctx.Err() != nil && o.err != nil { // it was cancelled
			return Result{}, ended(ctx, j, compiler)
		}
		return o.result, o.err
	case <-ctx.Done():
		return Result{}, ended(ctx, j, compiler)
	}
}

// ended is the error of a context that ended.
func ended(ctx context.Context, j *job, compiler string) error {
	err := ctx.Err()
	if cause := context.Cause(ctx); cause != err {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	return fmt.Errorf("compile %s%s with %s: %w", j.name, For(j.target), compiler, err)
}
