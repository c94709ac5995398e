// Package plot draws measurements as SVG: lines in panels ([Lines]), and operations in several ways
// as marks or bars ([Table]). The same data gives the same bytes. Colours are those of Okabe and
// Ito, which colour-blind readers can tell apart; marks and dashes differ too. The background is
// white, so that pictures can be read in dark mode.
package plot

import "errors"

// Errors about data. All are wrapped with what is wrong where.
var (
	// ErrNoData is the error for pictures without anything to show.
	ErrNoData = errors.New("nothing to plot")
	// ErrBadData is the error for values that can't be drawn: not numbers, infinite, not positive
	// on a logarithmic axis, unknown or repeated names.
	ErrBadData = errors.New("values that can't be plotted")
)
