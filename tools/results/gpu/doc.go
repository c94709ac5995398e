// Package gpu keeps docs/results/gpu: the reports of the GPU kit that people sent, a page and a
// picture for each, their index, and the column "seen on hardware" of docs/driver-facts.md.
//
// The reports are the data; all else is written from them. A report is about one kind of device, a
// driver and a day.
package gpu
