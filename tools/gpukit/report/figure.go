package report

// Figure is what an operation costs in one way.
type Figure struct {
	Device string `json:"device"` // "cuda:0", "hip:1", "host"
	// Operation is the same text for all ways: "record", "query pending", "copy 4 KiB".
	Operation string  `json:"operation"`
	Way       string  `json:"way"`       // "C", "raw", "event", "compute", "cuda-core", "torch", "cupy"
	Median    float64 `json:"median_ns"` // per operation, nanoseconds of wall time
	Best      float64 `json:"best_ns"`
	P99       float64 `json:"p99_ns,omitempty"`
	CPU       float64 `json:"cpu_ns,omitempty"` // processor time of the process per operation
	Runs      int     `json:"runs"`             // runs that the median is of
	PerRun    int     `json:"per_run"`          // operations of a run
	Allocs    float64 `json:"allocs,omitempty"` // per operation
	Note      string  `json:"note,omitempty"`
}
