package main

import (
	"fmt"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// others says how much each GPU is used, by vendors' management libraries. The devices are named by
// their place on the bus.
func others() ([]report.Other, error) {
	nvidia, errNVIDIA := othersOnNVIDIA()
	amd, errAMD := othersOnAMD()
	if errNVIDIA != nil && errAMD != nil {
		return nil, fmt.Errorf("%w: %w; %w", errNotPossible, errNVIDIA, errAMD)
	}
	return append(nvidia, amd...), nil
}
