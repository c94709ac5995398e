package gpu

import (
	"fmt"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

const indexHead = `# On GPUs

What the GPU kit found on machines with GPUs. Each page is about one kind of device, a driver and a
day: the conformance suite of event and compute, driver facts, figures beside those of C and
Python, a soak. How to run the kit: [gpu-kit.md](../../gpu-kit.md). This adds a report and writes
these pages:

    go run ./tools/results add gpu-kit.json

`

const nothingYet = `There is no report yet. If you have a GPU, yours is the first.
`

// indexPage is docs/results/gpu/README.md.
func indexPage(all []kept) string {
	if len(all) == 0 {
		return indexHead + nothingYet
	}
	var b strings.Builder
	b.WriteString(indexHead)
	b.WriteString("Ratios are times of package event relative to those of C or, where C was not " +
		"measured, of\nthe raw calls.\n\n" +
		"| device | driver | machine | date | verdict | facts: confirmed, differ | ratios | page |\n" +
		"|---|---|---|---|---|---|---|---|\n")
	for _, r := range all {
		cells := []string{devices(r.card), r.card.Driver.String(),
			r.Machine.OS + "/" + r.Machine.Arch, r.Began.Format(time.DateOnly), verdict(r.Report),
			facts(r.Report), ratios(r)}
		for _, c := range cells {
			b.WriteString("| " + report.Cell(c) + " ")
		}
		fmt.Fprintf(&b, "| [page](%[1]s.md), [data](%[1]s.json) |\n", r.name)
	}
	return b.String()
}

func devices(c report.Card) string {
	if len(c.Devices) > 1 {
		return fmt.Sprintf("%d × %s", len(c.Devices), c.Model)
	}
	return c.Model
}

func verdict(r *report.Report) string {
	text := "not green"
	if r.Verdict().Green {
		text = "green"
	}
	if r.Reduced != "" {
		text += ", reduced run"
	}
	if r.Sample != "" {
		text = "sample, not measured"
	}
	return text
}

func facts(r *report.Report) string {
	by := map[report.Answer]int{}
	for _, f := range r.Facts {
		by[f.Answer]++
	}
	return fmt.Sprintf("%d, %d", by[report.Confirmed], by[report.Differs])
}

func ratios(r kept) string {
	var parts []string
	for _, k := range r.KeyRatios(r.card.Devices[0]) {
		parts = append(parts, fmt.Sprintf("%s %.2f", k.Operation, k.Ratio))
	}
	return strings.Join(parts, ", ")
}
