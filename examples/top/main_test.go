package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shelf is a vendor whose GPUs are on a list, one reading after the other.
type shelf struct {
	readings [][]gpu
	err      error // after the last reading
	closed   bool
}

func (s *shelf) read() ([]gpu, error) {
	if len(s.readings) == 0 {
		return nil, s.err
	}
	r := s.readings[0]
	s.readings = s.readings[1:]
	return r, nil
}

func (s *shelf) close() { s.closed = true }

var (
	busy = gpu{"NVIDIA A100", 87, 3 << 30, 40 << 30, 54, 251_400, 400_000, []process{
		{1234, 2 << 30, "/usr/bin/python3"}, {99, 300 << 20, "Xorg"}}}
	mute = gpu{"AMD Instinct MI300X", absent, absent, absent, absent, absent, absent,
		[]process{{7, absent, ""}}}
)

func TestTable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gpus []gpu
		want []string
	}{
		"none": {nil, []string{"  GPU  use  memory  temp  power  limit  processes  name"}},
		"one, idle": {[]gpu{{"Tesla T4", 0, 0, 15 << 30, 31, 9_500, 70_000, nil}}, []string{
			"  GPU  use             memory  temp  power  limit  processes  name",
			"    0   0%  0 MiB of 15.0 GiB  31°C   10 W   70 W          0  Tesla T4",
		}},
		"two": {[]gpu{busy, mute}, []string{
			"  GPU  use               memory  temp  power  limit  processes  name",
			"    0  87%  3.0 GiB of 40.0 GiB  54°C  251 W  400 W          2  NVIDIA A100",
			"    1    -                    -     -      -      -          1  AMD Instinct MI300X",
			"",
			"  GPU   pid   memory  process",
			"    0  1234  2.0 GiB  /usr/bin/python3",
			"    0    99  300 MiB  Xorg",
			"    1     7        -  ",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, strings.Join(c.want, "\n")+"\n", table(c.gpus))
		})
	}
}

func TestOpenNotesWhatIsMissing(t *testing.T) {
	t.Parallel()
	there := &shelf{}
	vendors, notes := open(
		func() (vendor, error) { return nil, errors.New("NVIDIA: no library") },
		func() (vendor, error) { return there, nil },
	)
	assert.Equal(t, []vendor{there}, vendors)
	assert.Equal(t, []string{"NVIDIA: no library"}, notes)
}

func TestAPlainScreenShowsOneTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	v := &shelf{readings: [][]gpu{{busy}, {mute}}}
	require.NoError(t, watch(t.Context(), plain{&out}, []vendor{v}, time.Hour))
	assert.Equal(t, table([]gpu{busy}), out.String())
	assert.Len(t, v.readings, 1)
}

func TestATerminalIsRefreshedInPlace(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	gone := errors.New("the driver was unloaded")
	v := &shelf{readings: [][]gpu{{busy, mute}, {mute}}, err: gone}
	err := watch(t.Context(), &terminal{out: &out}, []vendor{v}, time.Nanosecond)
	assert.ErrorIs(t, err, gone)
	frames := strings.Split(out.String(), home)
	require.Len(t, frames, 3)
	assert.Equal(t, hideCursor+clear, frames[0])
	for i, gpus := range [][]gpu{{busy, mute}, {mute}} {
		text, rest, ok := strings.Cut(frames[i+1], clearBelow)
		require.True(t, ok)
		assert.Equal(t, table(gpus), strings.ReplaceAll(text, clearLine, ""))
		assert.NotContains(t, strings.ReplaceAll(text, clearLine+"\n", ""), "\n",
			"each line replaces the whole of an old one")
		assert.Equal(t, map[int]string{0: "", 1: showCursor}[i], rest)
	}
}

func TestWatchEndsWithItsContext(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v := &shelf{readings: [][]gpu{{busy}, {busy}}}
	require.NoError(t, watch(ctx, &terminal{out: &out}, []vendor{v}, time.Hour))
	assert.True(t, strings.HasSuffix(out.String(), showCursor))
}
