package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
)

func BenchmarkEventQuery(b *testing.B) {
	e, s := benchmarkMachine(b)
	require.NoError(b, cudrv.EventRecord(e, s))
	b.ReportAllocs()
	for b.Loop() {
		if err := cudrv.EventQuery(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEventRecord(b *testing.B) {
	e, s := benchmarkMachine(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := cudrv.EventRecord(e, s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCtxGetCurrent(b *testing.B) {
	benchmarkMachine(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := cudrv.CtxGetCurrent(); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkMachine(b *testing.B) (e cudrv.Event, s cudrv.Stream) {
	m := NewMachine(Options{})
	b.Cleanup(m.InstallCUDA("13.5"))
	require.NoError(b, cudrv.Init(0))
	c, err := cudrv.DevicePrimaryCtxRetain(0)
	require.NoError(b, err)
	require.NoError(b, c.Do(func() error {
		if e, err = cudrv.EventCreate(0); err == nil {
			s, err = cudrv.StreamCreate(cudrv.StreamNonBlocking)
		}
		return err
	}))
	return e, s
}
