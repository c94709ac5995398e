package main

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// fetchHeaders fills one folder per header version.
func fetchHeaders(ctx context.Context, pins *Pins, filler *Filler, jobs int) []Outcome {
	var sets []Set
	for _, g := range pins.groups("headers") {
		sets = append(sets, setsOf(g.api, g.pins)...)
	}
	outcomes := make([]Outcome, len(sets))
	fillAll(ctx, sets, filler, jobs, func(i int, _ *Stamp, o Outcome) { outcomes[i] = o })
	return outcomes
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
