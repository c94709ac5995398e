//go:build race

package header

const raceEnabled = true
