package eventtest

import (
	"math"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

var deviceFacts = []fact{
	{"cuda-attributes-of-version", func(p *probe) {
		device, err := cudrv.CtxGetDevice()
		p.needs("ask for the device", err)
		_, err = cudrv.DeviceGetAttribute(1<<20, device)
		p.code("an attribute that no release has", err, invalidValueCode)
		_, err = cudrv.DeviceGetAttribute(cudrv.DeviceAttributeIpcEventSupported, device)
		want := int32(successCode)
		if p.version() < 12000 {
			want = invalidValueCode
		}
		p.code("one of CUDA 12.0", err, want)
	}},
	{"cuda-empty-allocation", func(p *probe) {
		address, err := cudrv.MemAlloc(0)
		p.code("allocation of nothing", err, invalidValueCode)
		if err == nil {
			_ = cudrv.MemFree(address)
		}
	}},
	{"amd-empty-allocation", func(p *probe) {
		address, err := hip.Malloc(0)
		p.code("allocation of nothing", err, successCode)
		p.note(address == nil, "at %v", address)
		p.code("freeing null", hip.Free(nil), successCode)
	}},
	{"cuda-primary-context-shared", func(p *probe) {
		device, err := cudrv.CtxGetDevice()
		p.needs("ask for the device", err)
		again, err := cudrv.DevicePrimaryCtxRetain(device)
		p.code("retain of the primary context", err, successCode)
		current, err := cudrv.CtxGetCurrent()
		p.needs("ask for the current context", err)
		p.note(again == current, "the same as before: %v", again == current)
		p.code("release", cudrv.DevicePrimaryCtxRelease(device), successCode)
		_, active, err := cudrv.DevicePrimaryCtxGetState(device)
		p.code("state", err, successCode)
		p.note(active != 0, "still active: %v", active != 0)
	}},
	{"cuda-stream-tells-context", func(p *probe) {
		current, err := cudrv.CtxGetCurrent()
		p.needs("ask for the current context", err)
		of, err := cudrv.StreamGetCtx(cudrv.Stream(p.stream()))
		p.code("context of a stream", err, successCode)
		p.note(of == current, "the one it was created in: %v", of == current)
	}},
	{"amd-stream-tells-device", func(p *probe) {
		device, err := hip.GetDevice()
		p.needs("ask for the device", err)
		of, err := hip.StreamGetDevice(hip.Stream(p.stream()))
		p.code("device of a stream", err, successCode)
		p.note(int32(of) == device, "the one it was created on: %v", int32(of) == device)
	}},
	{"cuda-symbols-of-version", func(p *probe) {
		for _, x := range []struct {
			symbol string
			since  int32
		}{
			{"cuLaunchHostFunc", 10000}, {"cuEventRecordWithFlags", 11010}, {"cuStreamGetId", 12000},
			{"cuStreamGetDevice", 12080}, {"cuEventElapsedTime_v2", 12080},
		} {
			p.has(x.symbol, cudrv.Has(x.symbol), p.version() >= x.since)
		}
	}},
	{"amd-symbols-of-version", func(p *probe) {
		for _, x := range []struct {
			symbol  string
			present hipVersions
		}{
			{"hipDrvGetErrorString", from(5, 7)}, {"hipGetDevicePropertiesR0600", from(6, 0)},
			{"hipEventRecordWithFlags", from(7, 0)}, {"hipStreamGetId", from(7, 1)},
		} {
			v := p.version()
			if x.symbol == "hipEventRecordWithFlags" && from(6, 4).has(v) && before(7, 0).has(v) {
				continue // since ROCm 6.4.2, and the version number has no patch
			}
			p.has(x.symbol, hip.Has(x.symbol), x.present.has(p.version()))
		}
	}},
	{"amd-last-error-always", func(p *probe) {
		p.code("last error after a failure and a success", p.lastErrorAfterSuccess(), successCode)
	}},
	{"amd-last-error-real", func(p *probe) {
		p.code("last error after a failure and a success", p.lastErrorAfterSuccess(), invalidDeviceCode)
	}},
	{"amd-error-string-is-name", func(p *probe) {
		text, err := hip.GetErrorString(hip.ErrNoDevice)
		p.needs("ask for a text", err)
		p.note(text == "hipErrorNoDevice", "text of 100: %q", text)
	}},
	{"amd-old-properties", func(p *probe) {
		p.has("hipGetDevicePropertiesR0600", hip.Has("hipGetDevicePropertiesR0600"), false)
	}},
}

// lastErrorAfterSuccess makes a call that fails and one that succeeds.
func (p *probe) lastErrorAfterSuccess() error {
	_ = hip.GetLastError()
	if err := hip.SetDevice(-1); codeIn(err) != invalidDeviceCode {
		p.skip("a choice of device -1 gave: %v", err)
	}
	_, err := hip.GetDevice()
	p.needs("ask for the device", err)
	last := hip.PeekAtLastError()
	_ = hip.GetLastError()
	return last
}

// version returns the driver's version, as the vendor encodes it.
func (p *probe) version() int32 {
	ask := hip.RuntimeGetVersion
	if _, ok := p.calls.(cudaCalls); ok {
		ask = cudrv.DriverGetVersion
	}
	v, err := ask()
	p.needs("ask for the driver's version", err)
	return v
}

// hipVersions is a range of HIP's versions.
type hipVersions struct{ from, before int32 }

func hipVersion(major, minor int32) int32 { return major*10_000_000 + minor*100_000 }

func from(major, minor int32) hipVersions {
	return hipVersions{hipVersion(major, minor), math.MaxInt32}
}

func before(major, minor int32) hipVersions { return hipVersions{0, hipVersion(major, minor)} }

func (r hipVersions) has(v int32) bool { return v >= r.from && v < r.before }

// only ends the probe on versions for which it would be harmful.
func (p *probe) only(why string, r hipVersions) {
	if v := p.version(); !r.has(v) {
		p.skip("%s with version %d", why, v)
	}
}
