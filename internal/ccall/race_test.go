//go:build race

package ccall

const raceEnabled = true
