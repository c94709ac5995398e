package gpu

import "errors"

// The kinds of reports that are valid and have no place among the results of GPUs.
var (
	// ErrNoGPU says that a report is of a machine without a usable GPU.
	ErrNoGPU = errors.New("the report has no GPU, and docs/results/gpu is about GPUs only")
	// ErrSimulated says that a device was a simulated one.
	ErrSimulated = errors.New("the report is of a simulated GPU, and docs/results/gpu is about " +
		"real ones only")
	// ErrSample says that a report is a sample: nobody measured it.
	ErrSample = errors.New("the report is a sample, and docs/results/gpu has measurements only")
	// ErrUntested says that a report has a GPU on which nothing was tested.
	ErrUntested = errors.New("the report says nothing about a GPU: no step ran on it")
	// ErrNoFacts says that docs/driver-facts.md is not there, or not as it is read here.
	ErrNoFacts = errors.New("docs/driver-facts.md has no table of facts")
)
