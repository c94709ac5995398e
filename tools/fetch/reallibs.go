package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// fetchRealLibs fills one folder per release of a vendor's library and writes the manifest that
// tests read.
func fetchRealLibs(ctx context.Context, pins *Pins, filler *Filler, jobs int,
	small bool) ([]Outcome, []string, error) {
	var bases, sets []Set
	for _, g := range pins.groups("reallibs") {
		if g.api == base {
			bases = setsOf(g.api, g.pins)
			continue
		}
		sets = append(sets, setsOf(g.api, g.pins)...)
	}
	manifest := &Manifest{OS: "linux", Arch: "amd64", Libraries: []Library{}, Skipped: []Absent{}}
	var notes []string
	if small {
		sets = slices.DeleteFunc(sets, func(s Set) bool {
			if s.Pins[0].Large {
				manifest.Skipped = append(manifest.Skipped,
					Absent{API: s.API, Version: s.Version, Reason: "left out as large"})
				notes = append(notes, fmt.Sprintf("%s: left out as large", s))
			}
			return s.Pins[0].Large
		})
	}
	leftOut := make([][]string, len(sets))
	if small {
		for i := range sets {
			if sets[i], leftOut[i] = sets[i].withoutLarge(); len(leftOut[i]) > 0 {
				notes = append(notes, fmt.Sprintf("%s: left out as large: %s", sets[i],
					strings.Join(leftOut[i], ", ")))
			}
		}
	}
	all := slices.Concat(bases, sets)
	stamps, outcomes := make([]*Stamp, len(all)), make([]Outcome, len(all))
	fillAll(ctx, all, filler, jobs, func(i int, s *Stamp, o Outcome) { stamps[i], outcomes[i] = s, o })

	for i, set := range sets {
		at := len(bases) + i
		absent := func(err error) {
			manifest.Skipped = append(manifest.Skipped,
				Absent{API: set.API, Version: set.Version, Reason: oneLine(err)})
		}
		if stamps[at] == nil {
			absent(outcomes[at].Err)
			continue
		}
		var under *Set
		if name := set.Base(); name != "" {
			k := slices.IndexFunc(bases, func(b Set) bool { return b.Version == name })
			if stamps[k] == nil {
				outcomes[at] = outcomes[at].fail(outcomes[k].Err)
				absent(outcomes[k].Err)
				continue
			}
			under = &bases[k]
		}
		lib, err := describe(filler.dir, set, pins.specs[set.API].libraries(), stamps[at], under,
			leftOut[i])
		if err != nil {
			outcomes[at] = outcomes[at].fail(fmt.Errorf("%s: %w", set, err))
			absent(err)
			continue
		}
		if !lib.Loadable {
			notes = append(notes, fmt.Sprintf("%s can't be loaded: %s", set, lib.Reason))
		}
		manifest.Libraries = append(manifest.Libraries, lib)
	}
	return outcomes, notes, manifest.write(filler.dir)
}

// oneLine is an error's text on one line.
func oneLine(err error) string {
	if err == nil {
		return "not fetched"
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}
