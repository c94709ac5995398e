// Package report is what a run of the GPU kit found, as data: gpu-kit.json.
//
// The kit's programs write parts of it, its runner the whole, and tools/results reads it back.
// Reports are committed, so they name no host, no user and no path of the machine; [Scrub] removes
// them from texts. The package imports the standard library only.
package report
