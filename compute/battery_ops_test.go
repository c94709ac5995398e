package compute_test

import (
	"fmt"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// operation is a call of a user. prepare returns it, and may return what must hold
// once it has succeeded.
type operation struct {
	name       string
	prepare    func(b *bench) (run, check func() error)
	cuda       bool   // NVIDIA only
	since      string // the driver version that it needs
	once       bool   // run works once: it closes something
	background bool   // it does part of its work on other goroutines
}

// wide is an element that no fill of the drivers fits.
type wide struct{ A, B, C int32 }

// content is a check of a buffer's elements.
func content[T comparable](b *bench, x *compute.Buffer[T], want ...T) func() error {
	return func() error {
		got, err := x.Read(b.stream)
		if err != nil {
			return err
		}
		for i := range want {
			if got[i] != want[i] {
				return fmt.Errorf("element %d is %v instead of %v", i, got[i], want[i])
			}
		}
		return nil
	}
}

// closedLater closes what an attempt has made, at the end.
func closedLater[T any](b *bench, x *compute.Buffer[T], err error) error {
	if err == nil {
		b.Later(x.Close)
	}
	return err
}

func filling[T comparable](name string, v T) operation {
	return operation{name: "fill with " + name, prepare: func(b *bench) (run, check func() error) {
		x := must(compute.From(b.stream, make([]T, 7)))
		b.Later(x.Close)
		return func() error { return x.Fill(b.stream, v) }, content(b, x, v, v, v, v, v, v, v)
	}}
}

func operations() []operation {
	return []operation{
		{name: "Alloc", prepare: func(b *bench) (run, check func() error) {
			return func() error {
				x, err := compute.Alloc[float32](b.stream, 16)
				return closedLater(b, x, err)
			}, nil
		}},
		{name: "AllocOn", prepare: func(b *bench) (run, check func() error) {
			return func() error {
				x, err := compute.AllocOn[float32](b.device, 16)
				return closedLater(b, x, err)
			}, nil
		}},
		{name: "From", prepare: func(b *bench) (run, check func() error) {
			return func() error {
				x, err := compute.From(b.stream, []float32{1, 2})
				return closedLater(b, x, err)
			}, nil
		}},
		{name: "CopyFrom", prepare: func(b *bench) (run, check func() error) {
			x := b.floats(0, 0)
			return func() error { return x.CopyFrom(b.stream, []float32{1, 2}) }, content(b, x, 1, 2)
		}},
		{name: "CopyTo", prepare: func(b *bench) (run, check func() error) {
			x, got := b.floats(1, 2), make([]float32, 2)
			return func() error { return x.CopyTo(b.stream, got) }, func() error {
				if got[0] != 1 || got[1] != 2 {
					return fmt.Errorf("read %v", got)
				}
				return nil
			}
		}},
		{name: "CopyFrom a slice", prepare: func(b *bench) (run, check func() error) {
			x := b.floats(0, 0, 0)
			part := must(x.Slice(1, 2))
			return func() error { return part.CopyFrom(b.stream, []float32{5}) }, content(b, x, 0, 5, 0)
		}},
		{name: "AllocPinned", prepare: func(b *bench) (run, check func() error) {
			return func() error {
				p, err := compute.AllocPinned[int32](b.device, 8)
				if err == nil {
					b.Later(p.Close)
				}
				return err
			}, nil
		}},
		{name: "Pinned.Close", once: true, prepare: func(b *bench) (run, check func() error) {
			return must(compute.AllocPinned[int32](b.device, 8)).Close, nil
		}},
		{name: "Pinned.Close behind a copy", once: true, background: true,
			prepare: func(b *bench) (run, check func() error) {
				x := b.floats(1, 2)
				p := must(compute.AllocPinned[float32](b.device, 2))
				g := b.hold(b.stream)
				ensure(x.CopyToPinned(b.stream, p))
				return func() error { defer g.Open(); return p.Close() }, nil
			}},
		{name: "CopyFromPinned", prepare: func(b *bench) (run, check func() error) {
			x := b.floats(0, 0)
			p := must(compute.AllocPinned[float32](b.device, 2))
			b.Later(p.Close)
			copy(p.Data(), []float32{3, 4})
			return func() error { return x.CopyFromPinned(b.stream, p) }, content(b, x, 3, 4)
		}},
		{name: "CopyToPinned", prepare: func(b *bench) (run, check func() error) {
			x := b.floats(3, 4)
			p := must(compute.AllocPinned[float32](b.device, 2))
			b.Later(p.Close)
			return func() error { return x.CopyToPinned(b.stream, p) }, func() error {
				if err := b.stream.Sync(); err != nil {
					return err
				}
				if p.Data()[0] != 3 || p.Data()[1] != 4 {
					return fmt.Errorf("read %v", p.Data())
				}
				return nil
			}
		}},
		{name: "CopyFromBuffer", prepare: func(b *bench) (run, check func() error) {
			x, y := b.floats(1, 2), b.floats(0, 0)
			return func() error { return y.CopyFromBuffer(b.stream, x) }, content(b, y, 1, 2)
		}},
		{name: "CopyFromBuffer of a peer", prepare: func(b *bench) (run, check func() error) {
			y := b.floats(0, 0)
			other := b.Stream(b.Device(1))
			x := must(compute.From(other, []float32{1, 2}))
			b.Later(x.Close)
			ensure(other.Sync())
			return func() error { return y.CopyFromBuffer(b.stream, x) }, content(b, y, 1, 2)
		}},
		{name: "CopyFromBuffer to a peer on its stream",
			prepare: func(b *bench) (run, check func() error) {
				y := b.floats(0, 0)
				ensure(b.stream.Sync())
				other := b.Stream(b.Device(1))
				x := must(compute.From(other, []float32{1, 2}))
				b.Later(x.Close)
				return func() error { return y.CopyFromBuffer(other, x) }, func() error {
					if err := other.Sync(); err != nil {
						return err
					}
					return content(b, y, 1, 2)()
				}
			}},
		{name: "CopyFromBuffer of the host", prepare: func(b *bench) (run, check func() error) {
			y := b.floats(0, 0)
			h := must(event.Open("host")).DefaultStream()
			x := must(compute.From(h, []float32{1, 2}))
			b.Later(x.Close)
			ensure(h.Sync())
			return func() error { return y.CopyFromBuffer(b.stream, x) }, content(b, y, 1, 2)
		}},
		{name: "CopyFromBuffer to the host", prepare: func(b *bench) (run, check func() error) {
			x := b.floats(1, 2)
			h := must(event.Open("host")).DefaultStream()
			y := must(compute.From(h, []float32{0, 0}))
			b.Later(y.Close)
			ensure(h.Sync())
			return func() error { return y.CopyFromBuffer(b.stream, x) }, func() error {
				got, err := y.Read(h)
				if err == nil && got[1] != 2 {
					err = fmt.Errorf("read %v", got)
				}
				return err
			}
		}},
		filling("bytes", int8(3)),
		filling("2 bytes", uint16(0x102)),
		filling("4 bytes", float32(1.5)),
		filling("8 bytes", 2.5),
		filling("12 bytes", wide{1, 2, 3}),
		filling("zeros of 12 bytes", wide{}),
		{name: "Slice", prepare: func(b *bench) (run, check func() error) {
			x := b.floats(1, 2)
			return func() error { _, err := x.Slice(0, 1); return err }, nil
		}},
		{name: "Buffer.Close", once: true, prepare: func(b *bench) (run, check func() error) {
			return must(compute.From(b.stream, []float32{1})).Close, nil
		}},
		{name: "Buffer.Close of plain memory", once: true,
			prepare: func(b *bench) (run, check func() error) {
				x := must(compute.AllocOn[float32](b.device, 4))
				ensure(x.Zero(b.stream))
				return x.Close, nil
			}},
		{name: "Buffer.Close behind two streams", once: true, background: true,
			prepare: func(b *bench) (run, check func() error) {
				x := must(compute.From(b.stream, []float32{1}))
				ensure(b.stream.Sync())
				other := b.Stream(b.device)
				g := b.hold(other)
				ensure(x.Fill(other, 2))
				return func() error { defer g.Open(); return x.Close() }, nil
			}},
		{name: "Buffer.Close of plain memory behind two streams", once: true, background: true,
			prepare: func(b *bench) (run, check func() error) {
				x := must(compute.AllocOn[float32](b.device, 4))
				ensure(x.Zero(b.stream))
				other := b.Stream(b.device)
				ensure(b.stream.Sync())
				g := b.hold(other)
				ensure(x.Fill(other, 2))
				return func() error { defer g.Open(); return x.Close() }, nil
			}},
		{name: "Buffer.Close behind closed streams", once: true, background: true,
			cuda: true, // elsewhere streams are closed when their work is done
			prepare: func(b *bench) (run, check func() error) {
				x := must(compute.From(b.stream, []float32{1, 1}))
				ensure(b.stream.Sync())
				var gates []interface{ Open() }
				for i := range 2 { // at the same time, hence each its own element
					s := must(b.device.NewStream())
					gates = append(gates, b.hold(s))
					ensure(must(x.Slice(i, i+1)).Fill(s, 2))
					ensure(s.Close())
				}
				return func() error {
					defer gates[1].Open()
					defer gates[0].Open()
					return x.Close()
				}, nil
			}},
		{name: "use after closed streams", background: true,
			prepare: func(b *bench) (run, check func() error) {
				x := b.floats(1)
				ensure(b.stream.Sync())
				s := must(b.device.NewStream())
				ensure(x.Fill(s, 2))
				ensure(s.Sync())
				ensure(s.Close())
				var before *event.Stream
				return func() error { // which lets go of the closed one
					s, err := b.device.NewStream()
					if err != nil {
						return err
					}
					b.Later(s.Close)
					if before != nil { // a run that failed may have left its work behind
						if err := s.WaitStream(before); err != nil {
							return err
						}
					}
					before = s
					if err := x.Fill(s, 3); err != nil {
						return err
					}
					return s.Sync()
				}, content(b, x, 3)
			}},
		{name: "Load", prepare: func(b *bench) (run, check func() error) {
			code := b.image(map[string]compute.HostKernel{"saxpy": saxpyGo})
			return func() error {
				m, err := compute.Load(b.device, code)
				if err == nil {
					b.Later(m.Close)
				}
				return err
			}, nil
		}},
		{name: "Load with options", cuda: true, prepare: func(b *bench) (run, check func() error) {
			code := b.image(map[string]compute.HostKernel{"saxpy": saxpyGo})
			return func() error {
				m, err := compute.Load(b.device, code, compute.WithMaxRegisters(32),
					compute.WithOptimization(0), compute.WithLineInfo())
				if err == nil {
					b.Later(m.Close)
				}
				return err
			}, nil
		}},
		{name: "Module.Kernel", prepare: func(b *bench) (run, check func() error) {
			m := b.load(map[string]compute.HostKernel{"saxpy": saxpyGo})
			return func() error { _, err := m.Kernel("saxpy"); return err }, nil
		}},
		{name: "Global", cuda: true, prepare: func(b *bench) (run, check func() error) {
			m := b.load(map[string]compute.HostKernel{"saxpy": saxpyGo})
			return func() error {
					x, err := compute.Global[int32](m, "table")
					if err != nil {
						return err
					}
					return x.CopyFrom(b.stream, []int32{1, 2, 3, 4})
				}, func() error {
					x, err := compute.Global[int32](m, "table")
					if err != nil {
						return err
					}
					return content(b, x, 1, 2, 3, 4)()
				}
		}},
		{name: "Module.Close", once: true, prepare: func(b *bench) (run, check func() error) {
			k := b.saxpy()
			x, y := b.floats(1, 2), b.floats(1, 1)
			ensure(k.Launch(b.stream, compute.Linear(2, 32), int32(2), float32(2), x, y))
			ensure(b.stream.Sync())
			return k.Module().Close, nil
		}},
		{name: "Module.Close behind launches", once: true, background: true,
			prepare: func(b *bench) (run, check func() error) {
				k := b.saxpy()
				x, y := b.floats(1, 2), b.floats(1, 1)
				ensure(b.stream.Sync())
				other := b.Stream(b.device)
				g := b.hold(other)
				ensure(k.Launch(other, compute.Linear(2, 32), int32(2), float32(2), x, y))
				return func() error { defer g.Open(); return k.Module().Close() },
					func() error { return eventuallySync(other, content(b, y, 3, 5)) }
			}},
		launching("Launch", compute.Linear(4, 32), false, ""),
		launching("Launch with shared memory", compute.Config{Grid: compute.Dim{X: 1},
			Block: compute.Dim{X: 32}, Shared: 60 << 10}, false, ""),
		launching("Launch with clusters", compute.Config{Grid: compute.Dim{X: 2},
			Block: compute.Dim{X: 32}, Cluster: compute.Dim{X: 2}}, true, "11.8"),
		launching("cooperative Launch", compute.Config{Grid: compute.Dim{X: 2},
			Block: compute.Dim{X: 32}, Cooperative: true}, false, "6"),
		{name: "Occupancy", prepare: func(b *bench) (run, check func() error) {
			k := b.saxpy()
			return func() error { _, err := k.Occupancy(128, 1024); return err }, nil
		}},
		{name: "Suggest", prepare: func(b *bench) (run, check func() error) {
			k := b.saxpy()
			return func() error { _, _, err := k.Suggest(0); return err }, nil
		}},
		{name: "Capture", prepare: func(b *bench) (run, check func() error) {
			w := newWork(b)
			return func() error {
				g, err := compute.Capture(b.stream, w.enqueue)
				if err == nil {
					b.Later(g.Close)
				}
				return err
			}, nil
		}},
		{name: "Capture that fails", prepare: func(b *bench) (run, check func() error) {
			w := newWork(b)
			return func() error {
				_, err := compute.Capture(b.stream, func() error {
					if err := w.enqueue(); err != nil {
						return err
					}
					return errOwn
				})
				if err == errOwn {
					err = nil
				}
				return err
			}, nil
		}},
		{name: "Graph.Launch", prepare: func(b *bench) (run, check func() error) {
			w := newWork(b)
			g := w.graph()
			return func() error { return g.Launch(b.stream) }, w.check
		}},
		{name: "GraphKernel.Set", since: "6", prepare: func(b *bench) (run, check func() error) {
			w := newWork(b)
			g := w.graph()
			k := g.Kernels()[0]
			return func() error {
					return k.Set(compute.Linear(2, 64), int32(2), float32(10), w.x, w.y)
				}, func() error {
					if err := g.Launch(b.stream); err != nil {
						return err
					}
					return content(b, w.y, w.want(10)...)()
				}
		}},
		{name: "Graph.Update", prepare: func(b *bench) (run, check func() error) {
			w := newWork(b)
			g := w.graph()
			return func() error { w.factor = 5; return g.Update(b.stream, w.enqueue) }, func() error {
				if err := g.Launch(b.stream); err != nil {
					return err
				}
				return w.check()
			}
		}},
		{name: "Graph.Update to another shape", prepare: func(b *bench) (run, check func() error) {
			w := newWork(b)
			g := w.graph()
			return func() error {
					return g.Update(b.stream, func() error { return w.y.Fill(b.stream, 9) })
				}, func() error {
					if err := g.Launch(b.stream); err != nil {
						return err
					}
					return content(b, w.y, 9, 9)()
				}
		}},
		{name: "Graph.Update of a running graph", background: true,
			prepare: func(b *bench) (run, check func() error) {
				w := newWork(b)
				g := w.graph()
				other := b.Stream(b.device)
				gate := b.hold(other)
				ensure(g.Launch(other))
				return func() error {
						defer gate.Open()
						return g.Update(b.stream, func() error { return w.y.Fill(b.stream, 9) })
					}, func() error {
						return eventuallySync(other, func() error {
							if err := g.Launch(b.stream); err != nil {
								return err
							}
							return content(b, w.y, 9, 9)()
						})
					}
			}},
		{name: "Graph.Close", once: true, prepare: func(b *bench) (run, check func() error) {
			w := newWork(b)
			g := must(compute.Capture(b.stream, w.enqueue))
			ensure(g.Launch(b.stream))
			ensure(b.stream.Sync())
			return g.Close, nil
		}},
		{name: "Graph.Close behind a launch", once: true, background: true,
			prepare: func(b *bench) (run, check func() error) {
				w := newWork(b)
				g := must(compute.Capture(b.stream, w.enqueue))
				ensure(b.stream.Sync())
				other := b.Stream(b.device)
				gate := b.hold(other)
				ensure(g.Launch(other))
				return func() error { defer gate.Open(); return g.Close() },
					func() error { return eventuallySync(other, w.check) }
			}},
		{name: "Graph.Close of closed buffers", once: true,
			prepare: func(b *bench) (run, check func() error) {
				w := newWork(b)
				g := must(compute.Capture(b.stream, w.enqueue))
				for _, x := range []*compute.Buffer[float32]{w.x, w.y} {
					ensure(x.Close())
				}
				ensure(w.p.Close())
				ensure(w.k.Module().Close())
				return g.Close, nil
			}},
	}
}

// errOwn is an error of a function that is captured.
var errOwn = fmt.Errorf("own error")

// eventuallySync waits for a stream, and checks.
func eventuallySync(s *event.Stream, check func() error) error {
	if err := s.Sync(); err != nil {
		return err
	}
	return check()
}

func launching(name string, c compute.Config, cuda bool, since string) operation {
	return operation{name: name, cuda: cuda, since: since,
		prepare: func(b *bench) (run, check func() error) {
			k := b.saxpy()
			x, y := b.floats(1, 2, 3, 4), b.floats(0, 0, 0, 0)
			return func() error {
				if err := y.Zero(b.stream); err != nil { // it may run twice
					return err
				}
				return k.Launch(b.stream, c, int32(4), float32(2), x, y)
			}, content(b, y, 2, 4, 6, 8)
		}}
}

// work is what graphs of the battery do: y = 1 + factor * x, where pinned memory gives x. Where
// captures record no launches, it is y = x.
type work struct {
	b      *bench
	k      *compute.Kernel
	x, y   *compute.Buffer[float32]
	p      *compute.Pinned[float32]
	factor float32
}

func newWork(b *bench) *work {
	w := &work{b: b, k: b.saxpy(), x: b.floats(0, 0), y: b.floats(0, 0), factor: 2}
	w.p = must(compute.AllocPinned[float32](b.device, 2))
	b.Later(w.p.Close)
	copy(w.p.Data(), []float32{3, 4})
	ensure(b.stream.Sync())
	return w
}

func (w *work) enqueue() error {
	if err := w.x.CopyFromPinned(w.b.stream, w.p); err != nil {
		return err
	}
	if err := w.y.Fill(w.b.stream, 1); err != nil {
		return err
	}
	if !w.launches() {
		return w.y.CopyFromBuffer(w.b.stream, w.x)
	}
	return w.k.Launch(w.b.stream, compute.Linear(2, 32), int32(2), w.factor, w.x, w.y)
}

func (w *work) launches() bool {
	return w.b.device.Capabilities().Has(event.CapCaptureLaunch)
}

// want is y after the work with a factor.
func (w *work) want(factor float32) []float32 {
	if !w.launches() {
		return []float32{3, 4}
	}
	return []float32{1 + 3*factor, 1 + 4*factor}
}

func (w *work) graph() *compute.Graph {
	g := must(compute.Capture(w.b.stream, w.enqueue))
	w.b.Later(g.Close)
	return g
}

func (w *work) check() error { return content(w.b, w.y, w.want(w.factor)...)() }
