//go:build !linux && !darwin && !windows

package dl

// noLoad is RTLD_NOLOAD of the BSDs: open only what the process has loaded already.
const noLoad = 0x2000
