package report

import (
	"slices"
	"strings"
)

// Card is a kind of device with its driver: what one page of results is about. A machine may have
// several devices of a kind.
type Card struct {
	Backend, Model, Architecture string
	Driver                       Driver
	Simulated                    bool
	Devices                      []string // their names
}

// Cards are the kinds of devices of a report, without the host.
func (r *Report) Cards() (all []Card) {
	for _, d := range r.Devices {
		if d.Backend == Host {
			continue
		}
		c := Card{d.Backend, d.Model, d.Architecture, d.Driver, d.Simulated, []string{d.Name}}
		i := slices.IndexFunc(all, c.same)
		if i >= 0 {
			all[i].Devices = append(all[i].Devices, d.Name)
			continue
		}
		all = append(all, c)
	}
	return all
}

func (c Card) same(d Card) bool {
	return c.Backend == d.Backend && c.Model == d.Model && c.Architecture == d.Architecture &&
		c.Driver == d.Driver && c.Simulated == d.Simulated
}

// Slug is the card in names of files: vendor, model and driver.
func (c Card) Slug() string {
	vendor := map[string]string{"cuda": "nvidia", "hip": "amd"}[c.Backend]
	model := slug(c.Model)
	if !strings.HasPrefix(model, vendor) {
		model = vendor + "-" + model
	}
	return model + "-" + slug(c.Driver.String())
}

// slug keeps letters, digits and dots.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '.'
	})
	return strings.Trim(strings.Join(words, "-"), ".")
}

// Of is what a report says about a card, and about the host and the machine.
func (r *Report) Of(c Card) *Report {
	has := func(device string) bool {
		return device == "" || device == Host || slices.Contains(c.Devices, device)
	}
	part := *r
	part.Devices = only(r.Devices, func(d Device) bool { return has(d.Name) })
	part.Steps = only(r.Steps, func(s Step) bool { return has(s.Device) })
	part.Facts = only(r.Facts, func(f Fact) bool { return has(f.Device) })
	part.Figures = only(r.Figures, func(f Figure) bool { return has(f.Device) })
	part.Tallies = only(r.Tallies, func(t Tally) bool { return has(t.Device) })
	part.Others = only(r.Others, func(o Other) bool { return has(o.Device) })
	return &part
}

func only[T any](all []T, keep func(T) bool) (kept []T) {
	for _, x := range all {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}
