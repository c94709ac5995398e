package cache

import (
	"context"
	"fmt"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
)

// backend is a compiler as the cache sees it.
type backend struct {
	name      string
	compile   func(context.Context, compiler.Request) (compiler.Result, error)
	identity  func() (compiler.Identity, error)
	cacheable func(compiler.Request) error
	turn      chan struct{} // to compile: libraries compile one source at a time
}

var (
	cuda = backend{"cuda", compiler.CUDA, compiler.CUDAIdentity, compiler.CUDACacheable,
		make(chan struct{}, 1)}
	hip = backend{"hip", compiler.HIP, compiler.HIPIdentity, hipCacheable,
		make(chan struct{}, 1)}
)

// hipCacheable is compiler.HIPCacheable for requests with a target. Without one the compiler
// chooses, by the device that is current.
func hipCacheable(r compiler.Request) error {
	if r.Target == "" {
		return fmt.Errorf("%w: it names no target", compiler.ErrNotCacheable)
	}
	return compiler.HIPCacheable(r)
}

// CUDA is compiler.CUDA, unless the result is in the cache.
func (c *Cache) CUDA(ctx context.Context, r compiler.Request) (compiler.Result, error) {
	return c.compile(ctx, &cuda, r)
}

// HIP is compiler.HIP, unless the result is in the cache.
func (c *Cache) HIP(ctx context.Context, r compiler.Request) (compiler.Result, error) {
	return c.compile(ctx, &hip, r)
}

// compile needs the library even where the result is in the cache: without it, nobody knows which
// compiler's result is wanted.
func (c *Cache) compile(ctx context.Context, b *backend, r compiler.Request) (
	compiler.Result, error) {
	if c.off() {
		return b.compile(ctx, r)
	}
	id, err := b.identity()
	if err != nil || id.Key == "" || b.cacheable(r) != nil {
		c.counts.uncacheable.Add(1)
		return b.compile(ctx, r)
	}
	k := KeyOf(b.name, r, id.Key)
	r = r.Clone() // the compilation may outlive the call
	result, joined, err := c.flying.do(ctx, k,
		func(ctx context.Context) (compiler.Result, error) { return c.through(ctx, b, k, r) })
	if joined {
		c.counts.joined.Add(1)
	}
	if err != nil && ctx.Err() != nil {
		return compiler.Result{}, fmt.Errorf("compile %s%s with %s: %w", r.FileName(),
			compiler.For(r.Target), id.Name, ctx.Err())
	}
	return result, err
}

// through looks a result up, or has it compiled and stored. When its turn comes, it looks again:
// processes that start together would otherwise all compile the same.
func (c *Cache) through(ctx context.Context, b *backend, k Key, r compiler.Request) (
	compiler.Result, error) {
	if found, ok := c.load(k); ok {
		return found, nil
	}
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return compiler.Result{}, ctx.Err()
	}
	if found, ok := c.load(k); ok {
		return found, nil
	}
	c.counts.misses.Add(1)
	result, err := b.compile(ctx, r)
	if err == nil && !result.HasErrors() {
		c.store(k, &result)
	}
	return result, err
}
