package reallibs_test

import "github.com/gpuevent/gpuevent/cudrv"

func probeCUDA(f *facts) {
	v, err := cudrv.DriverVersion()
	if err != nil {
		f.Failure = err.Error()
		return
	}
	f.Version = int(v)
	for code := range int32(1100) {
		if name, err := cudrv.GetErrorName(cudrv.Result(code)); err == nil {
			f.Names[code] = name
		}
	}
	does := func(call string, err error) {
		f.step(call, err, cudrv.IsNoDevice,
			map[string]error{"symbol not found": cudrv.ErrSymbolNotFound,
				"library not found": cudrv.ErrLibraryNotFound})
	}
	calls := func(when string) {
		_, err := cudrv.DeviceGetCount()
		does(when+"cuDeviceGetCount", err)
		_, err = cudrv.DeviceGet(0)
		does(when+"cuDeviceGet", err)
		_, err = cudrv.CtxGetCurrent()
		does(when+"cuCtxGetCurrent", err)
		_, err = cudrv.EventCreate(0)
		does(when+"cuEventCreate", err)
		_, err = cudrv.StreamCreate(0)
		does(when+"cuStreamCreate", err)
		_, err = cudrv.DevicePrimaryCtxRetain(0)
		does(when+"cuDevicePrimaryCtxRetain", err)
		does(when+"Context.Do", cudrv.Context(1).Do(func() error { return nil }))
	}
	calls("uninitialized: ")
	does("cuInit(1)", cudrv.Init(1))
	does("cuInit", cudrv.Init(0))
	does("cuInit again", cudrv.Init(0))
	does("Available", cudrv.Available())
	calls("no device: ")
	does("cuEventQuery(0)", cudrv.EventQuery(0))
	does("cuEventDestroy_v2(0)", cudrv.EventDestroy(0))
	_, err = cudrv.GetErrorName(77777)
	does("cuGetErrorName(77777)", err)
	_, err = cudrv.EventElapsedTimeV2(0, 0)
	does("cuEventElapsedTime_v2", err)
	for call, symbol := range map[string]string{"cuGetProcAddress_v2": "cuEventCreate",
		"cuGetProcAddress_v2 of nonsense": "cuNoSuchThing"} {
		pfn, status, err := cudrv.GetProcAddressV2(symbol, int32(v), 0)
		does(call, err)
		if err == nil {
			f.Steps[len(f.Steps)-1].Text = status.String()
			if (pfn == nil) != (status != cudrv.GetProcAddressSuccess) {
				f.Steps[len(f.Steps)-1].Text += ", but the pointer says otherwise"
			}
		}
	}
}
