package report

import "time"

// Kind marks a file as a report of the kit.
const Kind = "gpuevent gpu-kit"

// Schema is the newest form of a report that this package reads and writes.
const Schema = 1

// Report is one run of the kit.
type Report struct {
	Kind   string `json:"kind"`
	Schema int    `json:"schema"`
	// Sample says that the report is no measurement, and what it is for; "" in a real one.
	Sample    string    `json:"sample,omitempty"`
	Kit       string    `json:"kit"`   // the version that was built
	Began     time.Time `json:"began"` // in UTC
	Seconds   float64   `json:"seconds"`
	Limit     float64   `json:"limit_seconds"`           // of the whole run
	Stopped   string    `json:"stopped,omitempty"`       // why the run ended early
	Reduced   string    `json:"reduced,omitempty"`       // why it did less than the kit does by default
	Machine   Machine   `json:"machine"`                 //
	Libraries []Library `json:"libraries"`               // the vendors', found or not
	Devices   []Device  `json:"devices"`                 // all that were found; the host is the last
	Steps     []Step    `json:"steps"`                   // in the order in which they ran
	Facts     []Fact    `json:"facts,omitempty"`         // of docs/driver-facts.md
	Figures   []Figure  `json:"figures,omitempty"`       // of all ways
	Tallies   []Tally   `json:"tallies,omitempty"`       // of the soaks
	Others    []Other   `json:"others,omitempty"`        // what else used the devices
	OthersWhy string    `json:"others_why,omitempty"`    // why that is unknown
	Removed   int       `json:"texts_removed,omitempty"` // names and paths that Scrub removed
}

// Machine is where the kit ran, without its name.
type Machine struct {
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	Memory   uint64 `json:"memory_bytes,omitempty"`
	Kernel   string `json:"kernel,omitempty"` // release of the operating system's
	System   string `json:"system,omitempty"` // distribution
	Emulated bool   `json:"emulated,omitempty"`
	// Load is the load average at the start; 0 if it is unknown.
	Load float64 `json:"load,omitempty"`
}

// Library is a vendor's.
type Library struct {
	API     string `json:"api"`               // "cuda", "hip", "nvrtc", ...
	File    string `json:"file,omitempty"`    // its name without folders; "" if there is none
	Version string `json:"version,omitempty"` // as the vendor writes it
	Reason  string `json:"reason,omitempty"`  // why it is not usable, or has no device
}

// Device is one that was found.
type Device struct {
	Name         string `json:"name"`    // "cuda:0", "hip:1", "host"
	Backend      string `json:"backend"` // "cuda", "hip", "host"
	Model        string `json:"model"`   // "NVIDIA H100 80GB HBM3"
	Architecture string `json:"architecture,omitempty"`
	Memory       uint64 `json:"memory_bytes,omitempty"`
	Driver       Driver `json:"driver"`
	// Simulated says that the driver is the simulator.
	Simulated bool `json:"simulated,omitempty"`
}

// IsGPU reports whether the device is neither the host nor simulated.
func (d Device) IsGPU() bool { return d.Backend != Host && !d.Simulated }

// Host is the backend, and the name, of the device that every machine has.
const Host = "host"

// Driver is a device's driver.
type Driver struct {
	API    string `json:"api,omitempty"`    // "CUDA 12.8", "HIP 6.4.43484"
	Kernel string `json:"kernel,omitempty"` // "550.54.14"
}

// String is the driver in one line.
func (d Driver) String() string {
	switch {
	case d.API == "":
		return d.Kernel
	case d.Kernel == "":
		return d.API
	}
	return d.API + ", driver " + d.Kernel
}
