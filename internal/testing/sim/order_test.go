package sim

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
)

// TestOrderOfPoolMemory needs no gate: the mistakes would go unnoticed on most machines.
func TestOrderOfPoolMemory(t *testing.T) {
	const nonBlocking = cudrv.StreamNonBlocking
	type run struct {
		*testing.T
		m        *Machine
		s, other cudrv.Stream
		p        cudrv.Deviceptr
	}
	// connect makes one stream wait for all that another has.
	connect := func(r run, from, to cudrv.Stream) {
		e := cudaEvent(r.T, 0)
		require.NoError(r, cudrv.EventRecord(e, from))
		require.NoError(r, cudrv.StreamWaitEvent(to, e, 0))
	}
	fill := func(r run, s cudrv.Stream) {
		require.NoError(r, cudrv.MemsetD8Async(r.p, 1, 8, s))
		if s != 0 { // it has run, and nobody knows
			require.NoError(r, r.m.mustStream(uintptr(s)).queue.Sync())
		}
	}
	free := func(r run, s cudrv.Stream) { require.NoError(r, cudrv.MemFreeAsync(r.p, s)) }
	for name, x := range map[string]struct {
		flags cudrv.StreamFlags
		do    func(r run)
		wrong string
	}{
		"use by the same stream":        {nonBlocking, func(r run) { fill(r, r.s); free(r, r.s) }, ""},
		"use by another":                {nonBlocking, func(r run) { fill(r, r.other) }, "are used by"},
		"use by the default stream":     {nonBlocking, func(r run) { fill(r, 0) }, "are used by"},
		"the default stream is ordered": {0, func(r run) { fill(r, 0); free(r, 0) }, ""},
		"blocking streams are not":      {0, func(r run) { fill(r, r.other) }, "are used by"},
		"but by work between them": {0, func(r run) {
			require.NoError(r, cudrv.MemsetD8Async(cuMemory(r.T, 8), 1, 8, 0))
			fill(r, r.other)
		}, ""},
		"use behind an event": {nonBlocking, func(r run) {
			connect(r, r.s, r.other)
			fill(r, r.other)
		}, ""},
		"use when the host has waited": {nonBlocking, func(r run) {
			require.NoError(r, cudrv.StreamSynchronize(r.s))
			fill(r, r.other)
		}, ""},
		"use when the host has data of it": {nonBlocking, func(r run) {
			var b [8]byte
			require.NoError(r, cudrv.MemcpyDtoHAsync(unsafe.Pointer(&b[0]), r.p, 8, r.s))
			fill(r, r.other)
		}, ""},
		"an event before the allocation does not count": {nonBlocking, func(r run) {
			e := cudaEvent(r.T, 0)
			require.NoError(r, cudrv.EventRecord(e, r.s))
			q := cuAsync(r.T, 8, r.s)
			require.NoError(r, cudrv.StreamWaitEvent(r.other, e, 0))
			require.NoError(r, cudrv.MemcpyDtoDAsync(r.p, q, 8, r.other))
		}, "are used by"},
		"free by another": {nonBlocking, func(r run) { free(r, r.other) }, "are used by"},
		"free not behind a use": {nonBlocking, func(r run) {
			connect(r, r.s, r.other)
			fill(r, r.other)
			free(r, r.s)
		}, "are freed by"},
		"free behind a use": {nonBlocking, func(r run) {
			connect(r, r.s, r.other)
			fill(r, r.other)
			connect(r, r.other, r.s)
			free(r, r.s)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := cudaMachine(t, Options{}, newestCUDA)
			r := run{t, m, cudaStream(t, x.flags), cudaStream(t, x.flags), 0}
			r.p = cuAsync(t, 8, r.s)
			x.do(r)
			require.NoError(t, cudrv.CtxSynchronize())
			if x.wrong == "" {
				assert.Empty(t, m.Misuse())
				return
			}
			require.Len(t, m.Misuse(), 1)
			assert.Contains(t, reasons(m)[0], x.wrong)
		})
	}
}

func TestOrderForgetsStreams(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	own := cudaStream(t, cudrv.StreamNonBlocking)
	p := cuAsync(t, 8, own)
	require.NoError(t, cudrv.StreamSynchronize(own))
	for range 100 {
		s, err := cudrv.StreamCreate(cudrv.StreamNonBlocking)
		require.NoError(t, err)
		require.NoError(t, cudrv.MemsetD8Async(p, 1, 8, s))
		require.NoError(t, cudrv.StreamSynchronize(s))
		require.NoError(t, cudrv.StreamDestroy(s))
	}
	assert.Less(t, len(m.cuda.memory.live.of(uintptr(p)).usersTold), 40)
	assert.Empty(t, m.Misuse())
}
