package eventtest

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
)

// WriteFacts writes a line for each result: the fact's id and the text for the last column of its
// row in docs/driver-facts.md. Facts that could not be probed follow, with the reason.
func WriteFacts(w io.Writer, d *event.Device, results []FactResult, day time.Time) error {
	var asked, others strings.Builder
	where := fmt.Sprintf("%s, %s, %s", d.Name(), driverVersion(d), day.Format(time.DateOnly))
	for _, r := range results {
		switch r.Outcome {
		case Confirmed:
			fmt.Fprintf(&asked, "%s | %s\n", r.ID, cell(where))
		case Contradicted:
			fmt.Fprintf(&asked, "%s | %s: contradicted: %s\n", r.ID, cell(where), cell(r.Saw))
		default:
			fmt.Fprintf(&others, "%s %s: %s\n", r.ID, r.Outcome, r.Saw)
		}
	}
	_, err := fmt.Fprintf(w, "%s\n%s", asked.String(), others.String())
	return err
}

// cell keeps a text from ending a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", "/", "\n", " ").Replace(text)
}

// driverVersion returns the driver's version as the vendor writes it: "CUDA 12.8", "HIP 6.4.43484".
func driverVersion(d *event.Device) string {
	switch d.Backend() {
	case event.CUDA:
		if v, err := cudrv.DriverGetVersion(); err == nil {
			return fmt.Sprintf("CUDA %d.%d", v/1000, v%1000/10)
		}
	case event.HIP:
		if v, err := hip.RuntimeGetVersion(); err == nil {
			return fmt.Sprintf("HIP %d.%d.%d", v/10_000_000, v/100_000%100, v%100_000)
		}
	}
	return "version unknown"
}
