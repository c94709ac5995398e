package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// printUpdates prints the pin lines that the indexes would add or replace. The pin file itself is a
// person's to change.
func printUpdates(ctx context.Context, groups []pinGroup, store *Store, out io.Writer) error {
	var errs []error
	for _, group := range groups {
		var pip, deb []Pin
		for _, p := range group.pins {
			if p.Pip != "" {
				pip = append(pip, p)
			} else {
				deb = append(deb, p)
			}
		}
		var found []Pin
		for _, part := range []struct {
			source Source
			pins   []Pin
		}{{store.sources.Pip, pip}, {store.sources.Apt, deb}} {
			if len(part.pins) == 0 {
				continue
			}
			newer, err := part.source.Newer(ctx, part.pins)
			errs = append(errs, err)
			found = append(found, newer...)
		}
		if len(found) == 0 {
			fmt.Fprintf(out, "# %s: nothing newer was found\n", group.name)
			continue
		}
		fmt.Fprintf(out, "# %s\n", group.name)
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

// pinGroup is one array of the pin file.
type pinGroup struct {
	name string
	pins []Pin
}
