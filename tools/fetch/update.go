package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// updateGroup is a list whose newer releases are looked for, and what else to look for.
type updateGroup struct {
	pinGroup
	wanted []Pin // packages without a pin
	parts  int   // numbers in the name of a version
}

// updateGroups are the lists of a command, and those that an API has no lines in yet.
func (p *Pins) updateGroups(command string) []updateGroup {
	var groups []updateGroup
	for _, g := range p.groups(command) {
		groups = append(groups, updateGroup{g, nil, 2})
	}
	if command != "headers" {
		return groups
	}
	for _, api := range slices.Sorted(maps.Keys(p.specs)) {
		i := slices.IndexFunc(groups, func(g updateGroup) bool { return g.api == api })
		if i < 0 {
			i = len(groups)
			groups = append(groups, updateGroup{pinGroup: pinGroup{command: command, api: api}})
		}
		s := p.specs[api]
		groups[i].wanted, groups[i].parts = s.wanted(groups[i].pins, p.suites()), s.parts()
	}
	return groups
}

// printUpdates prints the pin lines that the indexes would add or replace. The pin file itself is a
// person's to change.
func printUpdates(ctx context.Context, groups []updateGroup, store *Store, out io.Writer) error {
	var errs []error
	for _, group := range groups {
		var found []Pin
		for i, source := range []Source{store.pip, store.apt} {
			pins := slices.DeleteFunc(slices.Concat(group.pins, group.wanted),
				func(p Pin) bool { return (i == 0) != (p.Pip != "") })
			if len(pins) == 0 {
				continue
			}
			newer, err := source.Newer(ctx, pins, group.parts)
			errs = append(errs, err)
			found = append(found, newer...)
		}
		if len(found) == 0 {
			fmt.Fprintf(out, "# %s: nothing newer was found\n", group)
			continue
		}
		fmt.Fprintf(out, "# %s\n", group)
		for _, pin := range found {
			if pin.SHA256 == "" {
				sum, err := store.Sum(ctx, pin)
				if err != nil {
					errs = append(errs, err)
					continue
				}
				pin.SHA256 = sum
			}
			verb := "add"
			if i := slices.IndexFunc(group.pins, func(p Pin) bool {
				return p.Name() == pin.Name() && p.Version == pin.Version
			}); i >= 0 {
				verb = "instead of " + group.pins[i].Release
			} else if pin.Deb != "" {
				verb = "new in " + pin.Suite
			}
			fmt.Fprintf(out, "  %s # %s\n", pin.Line(), verb)
		}
	}
	return errors.Join(errs...)
}
