package emit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCamel(t *testing.T) {
	t.Parallel()
	for c, want := range map[string]string{
		"EVENT_BLOCKING_SYNC": "EventBlockingSync", "MEMCPY2D": "Memcpy2D", "UNORM_INT8X4": "UnormInt8X4",
		"event_flags": "EventFlags",
		"Memcpy_spt":  "MemcpySpt", "ARRAY3D_DESCRIPTOR": "Array3DDescriptor", "64BIT": "X64Bit", "": "X",
		"P2P": "P2P", "YUV444_16bit_SemiPlanar": "Yuv44416bitSemiPlanar",
		"device_P2PAttribute": "DeviceP2PAttribute", "AttrID": "AttrID", "deviceptr": "Deviceptr",
	} {
		assert.Equal(t, want, camel(c), c)
	}
}

func TestLower(t *testing.T) {
	t.Parallel()
	for c, want := range map[string]string{
		"dstHost": "dstHost", "hStream": "hStream", "Flags": "flags", "numDevices_out": "numDevicesOut",
		"PCIBusId": "pciBusId", "ID": "id",
	} {
		assert.Equal(t, want, lower(c), c)
	}
}

func TestResultName(t *testing.T) {
	t.Parallel()
	for c, want := range map[string]string{"phEvent": "event", "pMilliseconds": "milliseconds",
		"pctx": "pctx", "p": "p", "dptr": "dptr", "ppArr": "arr"} {
		assert.Equal(t, want, resultName(c), c)
	}
}

func TestArgNamesThatGoNeeds(t *testing.T) {
	t.Parallel()
	for _, c := range []string{"func", "type", "range", "len", "err", "addr", "call", "rc", "out",
		"unsafe", "runtime", "return", "for"} {
		assert.NotEqual(t, c, argName(c))
	}
}

func TestCutPrefix(t *testing.T) {
	t.Parallel()
	p := []string{"hip", "HIP_", "HIP"}
	for c, want := range map[string]string{
		"hipEvent_t": "Event_t", "HIP_MEMCPY3D": "MEMCPY3D", "hiparray": "hiparray",
		"__hipPushCallConfiguration": "PushCallConfiguration",
		"hip_Memcpy2D":               "Memcpy2D", "HIPresourcetype": "resourcetype", "dim3": "dim3",
		"hip": "hip",
	} {
		assert.Equal(t, want, cutPrefix(c, p), c)
	}
}
