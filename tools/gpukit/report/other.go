package report

// Other is the use of a device before the kit used it. It names no process.
type Other struct {
	Device    string `json:"device"`
	Processes int    `json:"processes"`              // that the driver lists; containers hide those of others
	Memory    uint64 `json:"memory_bytes,omitempty"` // of the device, in use
	Busy      int    `json:"busy_percent,omitempty"`
}

// idle is the memory that drivers use of a device without any program.
const idle = 2 << 30

// Shared reports whether somebody uses the device, as far as the driver says.
func (o Other) Shared() bool { return o.Processes > 0 || o.Busy > 5 || o.Memory > idle }

// Listed is a device, and where it is on the bus, which does not get into the report.
type Listed struct {
	Device
	Bus string `json:"bus,omitempty"`
}

// LibraryAnswer is what a vendor's library answered.
type LibraryAnswer struct {
	Library Library `json:"library"`
	Tests   Tests   `json:"tests"`
}
