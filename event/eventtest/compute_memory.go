package eventtest

import (
	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

var memoryBehaviours = []behaviour{
	{"memory/there-and-back", nil, func(k *kit) {
		s := k.stream()
		type point struct{ X, Y, Z float64 }
		holds(k, s, upload(k, s, int8(1), -2, 3), 1, -2, 3)
		holds(k, s, upload(k, s, 1.5, 2.5), 1.5, 2.5)
		holds(k, s, upload(k, s, true, false, true), true, false, true)
		holds(k, s, upload(k, s, point{1, 2, 3}, point{4, 5, 6}), point{1, 2, 3}, point{4, 5, 6})
		many := make([]uint32, 1<<20)
		for i := range many {
			many[i] = uint32(i * i)
		}
		holds(k, s, upload(k, s, many...), many...)
	}},
	{"memory/the-source-may-change-when-the-copy-returns", nil, func(k *kit) {
		s := k.stream()
		values := []int32{1, 2, 3}
		b := upload(k, s, 0, 0, int32(0))
		k.NoError(b.CopyFrom(s, values))
		clear(values)
		holds(k, s, b, 1, 2, 3)
	}},
	{"memory/fills", nil, func(k *kit) {
		s := k.stream()
		bytes, words := upload(k, s, make([]uint8, 5)...), upload(k, s, make([]uint16, 5)...)
		k.NoError(bytes.Fill(s, 0xab))
		holds(k, s, bytes, 0xab, 0xab, 0xab, 0xab, 0xab)
		k.NoError(words.Fill(s, 0x1234))
		holds(k, s, words, 0x1234, 0x1234, 0x1234, 0x1234, 0x1234)
		singles, doubles := upload(k, s, make([]float32, 3)...), upload(k, s, make([]float64, 7)...)
		k.NoError(singles.Fill(s, -1.25))
		holds(k, s, singles, -1.25, -1.25, -1.25)
		k.NoError(doubles.Fill(s, 3.5))
		holds(k, s, doubles, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5, 3.5)
		middle, err := doubles.Slice(2, 5)
		k.NoError(err)
		k.NoError(middle.Zero(s))
		holds(k, s, doubles, 3.5, 3.5, 0, 0, 0, 3.5, 3.5)
	}},
	{"memory/between-buffers", nil, func(k *kit) {
		s := k.stream()
		a, b := upload(k, s, int32(1), 2, 3, 4), upload(k, s, int32(0), 0, 0, 0)
		k.NoError(b.CopyFromBuffer(s, a))
		holds(k, s, b, 1, 2, 3, 4)
		low, err := b.Slice(0, 2)
		k.NoError(err)
		high, err := b.Slice(2, 4)
		k.NoError(err)
		k.NoError(low.CopyFromBuffer(s, high))
		holds(k, s, b, 3, 4, 3, 4)
		k.refused(low.CopyFromBuffer(s, low), compute.ErrBounds, "overlap")
	}},
	{"memory/pinned", nil, func(k *kit) {
		s := k.stream()
		b := upload(k, s, int32(0), 0)
		from, err := compute.AllocPinned[int32](k.Device, 2)
		k.NoError(err)
		to, err := compute.AllocPinned[int32](k.Device, 2)
		k.NoError(err)
		copy(from.Data(), []int32{7, 8})
		g := k.gate(s)
		k.within("a copy", func() {
			k.NoError(b.CopyFromPinned(s, from))
			k.NoError(b.CopyToPinned(s, to))
		})
		k.Equal([]int32{0, 0}, to.Data())
		from.Data()[1] = 9
		g.pass()
		k.Equal([]int32{7, 9}, to.Data(), "the memory is read when the stream gets there")
		k.NoError(from.Close())
		k.NoError(to.Close())
		k.Nil(to.Data())
		k.refused(b.CopyToPinned(s, to), event.ErrClosed)
	}},
	{"memory/empty-buffer", nil, func(k *kit) {
		s := k.stream()
		b, err := compute.Alloc[int32](s, 0)
		k.NoError(err)
		k.Equal(0, b.Len())
		k.NoError(b.CopyFrom(s, nil))
		k.NoError(b.Zero(s))
		got, err := b.Read(s)
		k.NoError(err)
		k.Equal(0, len(got))
		k.NoError(b.Close())
	}},
	{"memory/refusals", nil, func(k *kit) {
		s := k.stream()
		b := upload(k, s, int32(1), 2, 3)
		_, err := compute.Alloc[int32](nil, 1)
		k.refused(err, event.ErrNilStream)
		_, err = compute.Alloc[int32](s, -1)
		k.refused(err, compute.ErrBounds)
		_, err = compute.Alloc[*int32](s, 1)
		k.refused(err, compute.ErrType, "Go pointer")
		_, err = compute.Alloc[struct{ Name string }](s, 1)
		k.refused(err, compute.ErrType, "Name")
		k.refused(b.CopyFrom(s, []int32{1}), compute.ErrBounds, "Slice")
		k.refused(b.CopyTo(s, make([]int32, 4)), compute.ErrBounds)
		_, err = b.Slice(1, 4)
		k.refused(err, compute.ErrBounds)
		_, err = b.Slice(2, 1)
		k.refused(err, compute.ErrBounds)
		k.refused(b.CopyFrom(nil, []int32{1, 2, 3}), event.ErrNilStream)
		closed, err := compute.Alloc[int32](s, 3)
		k.NoError(err)
		part, err := closed.Slice(0, 2)
		k.NoError(err)
		k.NoError(closed.Close())
		k.NoError(closed.Close(), "again")
		k.refused(closed.Zero(s), event.ErrClosed)
		k.refused(part.Zero(s), event.ErrClosed)
		k.Zero(closed.Pointer())
		k.refused((*compute.Buffer[int32])(nil).Zero(s), compute.ErrNil)
	}},
	{"memory/the-account", nil, func(k *kit) {
		s := k.stream()
		b, err := compute.Alloc[float64](s, 100)
		k.NoError(err)
		p, err := compute.AllocPinned[byte](k.Device, 50)
		k.NoError(err)
		a, ok := k.allocation(b.String())
		k.True(ok)
		k.EqualValues(800, a.Bytes)
		k.False(a.Pinned || a.Closed)
		a, ok = k.allocation(p.String())
		k.True(ok && a.Pinned)
		k.EqualValues(50, a.Bytes)
		u, err := compute.UsageOf(k.Device)
		k.NoError(err)
		k.GreaterOrEqual(u.Bytes, uint64(800))
		k.GreaterOrEqual(u.Peak, u.Bytes)
		k.GreaterOrEqual(u.PinnedBytes, uint64(50))
		k.NoError(b.Close())
		k.NoError(p.Close())
		k.eventually("the end of the account", func() bool {
			_, first := k.allocation(b.String())
			_, second := k.allocation(p.String())
			return !first && !second
		})
	}},
	{"memory/more-than-there-is", nil, func(k *kit) {
		if k.Device.IsHost() {
			k.t.Skip("the host's memory is virtual")
		}
		m, err := k.Device.Memory()
		k.NoError(err)
		_, err = compute.Alloc[byte](k.stream(), int(2*m.Total))
		k.refused(err, compute.ErrOutOfMemory, "free", "bytes wanted")
	}},
	{"memory/on-another-device", []need{second}, func(k *kit) {
		s, t := k.stream(), k.streamOn(k.Second)
		a, b := upload(k, s, int32(1), 2, 3), upload(k, t, int32(0), 0, 0)
		k.refused(a.Zero(t), event.ErrDeviceMismatch)
		k.NoError(t.WaitStream(s))
		k.NoError(b.CopyFromBuffer(t, a))
		holds(k, t, b, 1, 2, 3)
		k.NoError(b.Fill(t, 7))
		k.NoError(s.WaitStream(t))
		k.NoError(a.CopyFromBuffer(s, b))
		holds(k, s, a, 7, 7, 7)
	}},
	{"memory/on-a-device-of-another-backend", []need{other}, func(k *kit) {
		s, t := k.stream(), k.streamOn(k.Other)
		a, b := upload(k, s, int32(1), 2, 3), upload(k, t, int32(0), 0, 0)
		k.refused(a.Zero(t), event.ErrBackendMismatch)
		k.NoError(b.CopyFromBuffer(s, a))
		holds(k, t, b, 1, 2, 3)
		k.NoError(b.Fill(t, 9))
		k.NoError(t.Sync())
		k.NoError(a.CopyFromBuffer(s, b))
		holds(k, s, a, 9, 9, 9)
	}},
	{"memory/closed-behind-the-work-of-all-streams", nil, func(k *kit) {
		s := k.stream()
		b, err := compute.From(s, []int32{1, 2, 3, 4})
		k.NoError(err)
		to, err := compute.AllocPinned[int32](k.Device, 4)
		k.NoError(err)
		t, err := k.Device.NewStream()
		k.NoError(err)
		k.NoError(t.WaitStream(s))
		g := k.gate(t)
		k.NoError(b.CopyToPinned(t, to))
		k.within("Buffer.Close", func() { k.NoError(b.Close()) })
		other := upload(k, s, int32(-1), -1, -1, -1)
		g.pass()
		k.NoError(t.Close())
		k.Equal([]int32{1, 2, 3, 4}, to.Data())
		holds(k, s, other, -1, -1, -1, -1)
		k.NoError(to.Close())
	}},
}
