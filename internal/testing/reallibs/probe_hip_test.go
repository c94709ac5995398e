package reallibs_test

import "github.com/gpuevent/gpuevent/hip"

func probeHIP(f *facts) {
	v, err := hip.RuntimeVersion()
	if err != nil {
		f.Failure = err.Error()
		return
	}
	f.Version = int(v)
	for code := range int32(1100) {
		if name, err := hip.GetErrorName(hip.Result(code)); err == nil {
			f.Names[code] = name
		}
	}
	does := func(call string, err error) {
		f.step(call, err, hip.IsNoDevice,
			map[string]error{"symbol not found": hip.ErrSymbolNotFound,
				"library not found": hip.ErrLibraryNotFound})
	}
	driver, err := hip.DriverVersion()
	if err == nil && driver != v {
		f.Failure = "driver version " + driver.String()
	}
	does("hipDriverGetVersion", err)
	does("hipInit", hip.Init(0))
	n, err := hip.GetDeviceCount()
	does("hipGetDeviceCount", err)
	if n != 0 {
		f.Failure = "there are devices"
		return
	}
	does("Available", hip.Available())
	_, err = hip.EventCreate()
	does("hipEventCreate", err)
	_, err = hip.EventCreateWithFlags(hip.EventDisableTiming)
	does("hipEventCreateWithFlags", err)
	_, err = hip.StreamCreate()
	does("hipStreamCreate", err)
	does("hipStreamQuery(0)", hip.StreamQuery(0))
	does("hipEventQuery(0)", hip.EventQuery(0))
	does("hipSetDevice", hip.SetDevice(0))
	_, err = hip.GetDevice()
	does("hipGetDevice", err)
	_, err = hip.DeviceGet(0)
	does("hipDeviceGet", err)
	_, err = hip.DeviceGetName(0)
	does("hipDeviceGetName", err)
	_, err = hip.Malloc(1)
	does("hipMalloc", err)
	does("hipDeviceSynchronize", hip.DeviceSynchronize())
	does("Device.Do", hip.Device(0).Do(func() error { return nil }))
	does("hipLaunchHostFunc", hip.LaunchHostFunc(0, func() {}))
	_, err = hip.GetDeviceProperties(0)
	does("hipGetDevicePropertiesR0600", err)
	_, _, err = hip.GetProcAddress("hipEventCreate", int32(v), 0)
	does("hipGetProcAddress", err)
	does("hipEventRecordWithFlags", hip.EventRecordWithFlags(0, 0, 0))
}
