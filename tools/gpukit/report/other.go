package report

// Other is other people's use of a device while the kit ran. It names no process.
type Other struct {
	Device    string `json:"device"`
	Processes int    `json:"processes"`
	Memory    uint64 `json:"memory_bytes,omitempty"` // of these processes
	Busy      int    `json:"busy_percent,omitempty"` // of the device, before the kit began
}
