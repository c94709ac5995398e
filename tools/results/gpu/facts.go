package gpu

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// sighting is what a card's driver answered to the probe of a fact.
type sighting struct {
	who  string // the device and its driver
	text string // what the column gets
}

// longestSaw is how much of an answer gets into the table; the report's page has all.
const longestSaw = 160

// sightings are those of all reports by fact, of each card the newest.
func sightings(all []kept) map[string][]sighting {
	found := map[string][]sighting{}
	for _, r := range all { // the newest first
		if r.Sample != "" {
			continue
		}
		who := fmt.Sprintf("%s, %s", r.card.Model, r.card.Driver.API)
		for _, f := range r.Facts {
			seen := func(s sighting) bool { return s.who == who }
			if f.Answer == report.NotAskable || slices.ContainsFunc(found[f.ID], seen) {
				continue
			}
			text := who + ", " + r.Began.Format(time.DateOnly)
			if f.Answer == report.Differs {
				saw := []rune(strings.ReplaceAll(f.Saw, between, ", "))
				if len(saw) > longestSaw {
					saw = append(saw[:longestSaw], '…')
				}
				text += ": contradicted: " + string(saw)
			}
			found[f.ID] = append(found[f.ID], sighting{who, report.Cell(text)})
		}
	}
	return found
}

// between separates entries of the column.
const between = "; "

// facts writes the sightings into the last column of docs/driver-facts.md. Entries of other devices
// and drivers stay as they are.
func (s Store) facts(all []kept) error {
	file := filepath.Join(s.Docs, "driver-facts.md")
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoFacts, err)
	}
	found := sightings(all)
	lines := strings.Split(string(text), "\n")
	rows := 0
	for i, line := range lines {
		cells := strings.Split(line, "|")
		// one before the first and one behind the last bar
		if len(cells) != columns+2 || !strings.HasPrefix(line, "| ") {
			continue
		}
		id := strings.TrimSpace(cells[1])
		if id == "id" {
			continue
		}
		rows++
		if len(found[id]) == 0 {
			continue
		}
		cells[columns] = " " + merged(strings.TrimSpace(cells[columns]), found[id]) + " "
		lines[i] = strings.Join(cells, "|")
	}
	if rows == 0 {
		return fmt.Errorf("%w: %s", ErrNoFacts, file)
	}
	now := strings.Join(lines, "\n")
	if now == string(text) {
		return nil
	}
	return os.WriteFile(file, []byte(now), 0o644)
}

// columns is how many the tables of facts have.
const columns = 7

// merged adds sightings to a column's text, in place of those of the same device and driver.
func merged(old string, found []sighting) string {
	var entries []string
	if old != "" {
		entries = strings.Split(old, between)
	}
	for _, f := range found {
		i := slices.IndexFunc(entries, func(e string) bool {
			return strings.HasPrefix(e, report.Cell(f.who)+", ")
		})
		if i < 0 {
			entries = append(entries, f.text)
		} else {
			entries[i] = f.text
		}
	}
	slices.Sort(entries)
	return strings.Join(entries, between)
}
