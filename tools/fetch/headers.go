package main

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
)

// fetchHeaders fills one folder per header version. The notes say which were left out.
func fetchHeaders(ctx context.Context, pins *Pins, filler *Filler, jobs int, small bool) (
	outcomes []Outcome, notes []string) {
	var sets []Set
	for _, g := range pins.groups("headers") {
		var left []string
		for _, set := range setsOf(g.api, g.pins) {
			if _, lost := set.withoutLarge(); small && len(lost) > 0 {
				left = append(left, set.Version)
				continue
			}
			sets = append(sets, set)
		}
		if len(left) > 0 {
			notes = append(notes, fmt.Sprintf("%s: left out as large: %s", g.api, strings.Join(left, ", ")))
		}
	}
	outcomes = make([]Outcome, len(sets))
	fillAll(ctx, sets, filler, jobs, func(i int, _ *Stamp, o Outcome) { outcomes[i] = o })
	return outcomes, notes
}

// fillAll fills sets side by side: starting a package client takes longer than the download.
func fillAll(ctx context.Context, sets []Set, filler *Filler, jobs int,
	done func(int, *Stamp, Outcome)) {
	var group errgroup.Group
	group.SetLimit(max(1, jobs))
	for i, set := range sets {
		group.Go(func() error {
			stamp, outcome := filler.Fill(ctx, set)
			done(i, stamp, outcome)
			return nil
		})
	}
	_ = group.Wait() // every outcome has its own error
}
