package rccl_test

import (
	"errors"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/rccl"
)

func TestInProgressIsNoFailure(t *testing.T) {
	lib := fake.New("fake", "ncclGroupEnd", "ncclCommFinalize").Install(t, &libs.RCCL)
	assert.NoError(t, rccl.GroupEnd())
	lib.Answer(int32(rccl.ErrInProgress))
	assert.Equal(t, error(rccl.ErrInProgress), rccl.CommFinalize(1), "as it is, for == in a loop")
	lib.Answer(int32(rccl.ErrInvalidUsage))
	err := rccl.CommFinalize(1)
	var call *rccl.CallError
	require.ErrorAs(t, err, &call)
	assert.Equal(t, "ncclCommFinalize", call.Function)
	assert.True(t, errors.Is(err, rccl.ErrInvalidUsage))
}

// C takes a struct only with its size, mark and version, and zero is a value of most members.
func TestNewConfig(t *testing.T) {
	t.Parallel()
	c := rccl.NewConfig()
	assert.EqualValues(t, unsafe.Sizeof(c), c.Size)
	assert.Equal(t, uint32(0xcafebeef), c.Magic)
	assert.EqualValues(t, rccl.HeaderVersion, c.Version)
	assert.Nil(t, c.NetName)
	assert.Nil(t, c.CommName)
	for _, v := range []int32{c.Blocking, c.MinCTAs, c.SplitShare, c.TrafficClass, c.NvlsCTAs} {
		assert.EqualValues(t, math.MinInt32, v)
	}
	s := rccl.NewSimInfo()
	assert.EqualValues(t, 24, s.Size)
	assert.EqualValues(t, 0x74685283, s.Magic)
	assert.EqualValues(t, -1, s.EstimatedTime)
}

func TestVersion(t *testing.T) {
	t.Parallel()
	v := rccl.Version(22707)
	assert.Equal(t, "2.27.7", v.String())
	assert.True(t, v.AtLeast(2, 27))
	assert.False(t, v.AtLeast(2, 28))
	assert.True(t, v.AtLeast(1, 99))
}
