package reallibs_test

import (
	"github.com/gpuevent/gpuevent/internal/fake"
	"github.com/gpuevent/gpuevent/internal/proof"
)

// late are functions that were declared before a library had them, and the first release here that exports them.
var late = map[string]string{
	"hipLaunchHostFunc":                                 "5.7.1",
	"hipGraphKernelNodeGetAttribute":                    "5.7.1",
	"hipGraphKernelNodeSetAttribute":                    "5.7.1",
	"hipTexRefGetMipMappedArray":                        "6.4.3",
	"hipDeviceGetTexture1DLinearMaxWidth":               "7.2.4",
	"hipGraphAddExternalSemaphoresSignalNode":           "7.2.4",
	"hipGraphAddExternalSemaphoresWaitNode":             "7.2.4",
	"hipGraphExecExternalSemaphoresSignalNodeSetParams": "7.2.4",
	"hipGraphExecExternalSemaphoresWaitNodeSetParams":   "7.2.4",
	"hipGraphExternalSemaphoresSignalNodeGetParams":     "7.2.4",
	"hipGraphExternalSemaphoresSignalNodeSetParams":     "7.2.4",
	"hipGraphExternalSemaphoresWaitNodeGetParams":       "7.2.4",
	"hipGraphExternalSemaphoresWaitNodeSetParams":       "7.2.4",
}

// withdrawn are functions that libraries lost together with their declarations. They keep all others that headers dropped.
var withdrawn = map[string]bool{
	"hipRegisterActivityCallback": true,
	"hipRegisterApiCallback":      true,
	"hipRemoveActivityCallback":   true,
	"hipRemoveApiCallback":        true,
}

// excused says why a release declares a function that its library lacks; "" if it has to have it. A function that no library has is
// named in specs/<api>.toml.
func excused(api, symbol, release string) string {
	table := &proof.CUDA
	if api == "hip" {
		table = &proof.HIP
	}
	if first, ok := late[symbol]; ok {
		if fake.Newer(first, release) {
			return "exported from " + first + " on"
		}
		return ""
	}
	for _, f := range table.Functions {
		if f.C == symbol {
			return f.Missing
		}
	}
	return ""
}

// excusedName says why a library has no name for a result code of its release; "" if it has to have one.
func excusedName(api, release string, code int32) string {
	if api == "hip" && release == "6.4.3" && (code == 911 || code == 912) {
		return "declared in 6.4.3, named from 7 on"
	}
	return ""
}
