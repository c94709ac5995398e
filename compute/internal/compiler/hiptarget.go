package compiler

import (
	"fmt"
	"regexp"
)

// hipArch is an AMD architecture with features, or that of a generation: gfx942:sramecc+:xnack-,
// gfx10-3-generic. Whether the compiler has it, package hiprtc asks.
var hipArch = regexp.MustCompile(`^gfx(?:[0-9]{1,2}[0-9a-f]{2}|[0-9]{1,2}(?:-[0-9])?-generic)` +
	`(?::[a-z]+[+-])*$`)

// checkHIPTarget refuses what is no AMD architecture: releases of hipRTC before 7 end the process
// at a name that they do not know.
func checkHIPTarget(target string) error {
	if !hipArch.MatchString(target) {
		return fmt.Errorf("%w %q: AMD's are like gfx942, with features gfx942:sramecc+:xnack-",
			ErrTarget, target)
	}
	return nil
}
