package dl

import "fmt"

// HIP is the runtime library of AMD's ROCm.
var HIP = Library{
	Name:          "HIP runtime library",
	API:           "ROCm",
	Env:           "GPUEVENT_HIP_LIBRARY",
	Remedy:        "install the ROCm runtime (amdhip64)",
	Update:        "update ROCm",
	Candidates:    hipCandidates,
	Variables:     hipVariables,
	VersionSymbol: "hipRuntimeGetVersion",
	FormatVersion: HIPVersion,
}

// HIPVersion spells the number that hipRuntimeGetVersion gives, 10000000*major + 100000*minor + patch: 60443484 is "6.4.43484".
func HIPVersion(v int) string {
	return fmt.Sprintf("%d.%d.%d", v/10_000_000, v%10_000_000/100_000, v%100_000)
}
