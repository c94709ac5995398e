package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// fetchHeaders fills one folder per header version. The notes say which were left out.
func fetchHeaders(ctx context.Context, pins *Pins, filler *Filler, small bool) ([]Outcome,
	[]string) {
	var sets []Set
	var notes []string
	for _, g := range pins.groups("headers") {
		var left []string
		for _, set := range setsOf(g.api, g.pins) {
			if small && slices.ContainsFunc(set.Pins, func(p Pin) bool { return p.Large }) {
				left = append(left, set.Version)
				continue
			}
			sets = append(sets, set)
		}
		if len(left) > 0 {
			notes = append(notes, fmt.Sprintf("%s: left out as large: %s", g.api, strings.Join(left, ", ")))
		}
	}
	_, outcomes := filler.all(ctx, sets)
	return outcomes, notes
}

// Filler fills version folders under one directory.
type Filler struct {
	dir     string
	rules   []Rule
	store   *Store
	openDeb debOpener
	log     *log.Logger
}

// all fills sets side by side: starting a package client takes longer than the download.
func (f *Filler) all(ctx context.Context, sets []Set) ([]*Stamp, []Outcome) {
	stamps, outcomes := make([]*Stamp, len(sets)), make([]Outcome, len(sets))
	var group errgroup.Group
	group.SetLimit(4)
	for i, set := range sets {
		group.Go(func() error {
			stamps[i], outcomes[i] = f.Fill(ctx, set)
			return nil
		})
	}
	_ = group.Wait() // every outcome has its own error
	return stamps, outcomes
}

// Fill makes a version folder be what its pins say: reused as it lies if it is, replaced as a whole
// otherwise.
func (f *Filler) Fill(ctx context.Context, set Set) (*Stamp, Outcome) {
	outcome := Outcome{Set: set.String(), State: Reused}
	folder := filepath.Join(f.dir, set.API, set.Version)
	want, err := recipe(set, f.rules)
	if err != nil {
		return nil, outcome.fail(err)
	}
	stamp, ok := readStamp(folder, want)
	if !ok {
		start := time.Now()
		stamp = &Stamp{Recipe: want}
		outcome.State = Fetched
		if err := f.replace(ctx, folder, set, stamp, &outcome); err != nil {
			return nil, outcome.fail(err)
		}
		f.log.Printf("%s: %d files in %s", set, len(stamp.Files),
			time.Since(start).Round(time.Millisecond))
	}
	return stamp, outcome
}

// replace fills a temporary folder and puts it in the place of the set's.
func (f *Filler) replace(ctx context.Context, folder string, set Set, stamp *Stamp,
	outcome *Outcome) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(f.dir, ".tmp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := f.unpack(ctx, set, tmp, stamp, outcome); err != nil {
		return err
	}
	text, err := json.MarshalIndent(stamp, "", " ")
	if err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile(filepath.Join(tmp, stampName), append(text, '\n'), 0o644),
		os.Chmod(tmp, 0o755)); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(folder), os.Rename(tmp, folder))
}

func (f *Filler) unpack(ctx context.Context, set Set, tmp string, stamp *Stamp,
	outcome *Outcome) error {
	root, err := os.OpenRoot(tmp)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, pin := range set.Pins {
		archive, downloaded, err := f.store.Get(ctx, pin)
		if err != nil {
			return err
		}
		if info, err := os.Stat(archive); downloaded && err == nil {
			outcome.Bytes += info.Size()
			f.log.Printf("%s: %s, %s", set, pin, size(info.Size()))
		}
		rule, ok := ruleFor(f.rules, set.API, pin.Name())
		if !ok {
			return fmt.Errorf("%s: no unpack rule matches it", pin)
		}
		files, err := unpackPackage(ctx, archive, pin, rule, root, f.openDeb)
		if err != nil {
			return err
		}
		for _, file := range files {
			same := func(other File) bool { return other.Path == file.Path }
			if i := slices.IndexFunc(stamp.Files, same); i >= 0 {
				return fmt.Errorf("%s: %s and %s both bring %s: narrow an unpack rule", set,
					stamp.Files[i].Package, pin.Name(), file.Path)
			}
		}
		stamp.Files = append(stamp.Files, files...)
	}
	return nil
}

const stampName = ".stamp.json"

// Stamp says what a version folder was made from and what it holds.
type Stamp struct {
	Recipe string `json:"recipe"` // checksum of pins and rules
	Files  []File `json:"files"`
}

// recipe is the checksum of everything that decides what ends up in the folder.
func recipe(set Set, rules []Rule) (string, error) {
	type step struct {
		Pin  Pin
		Rule Rule
	}
	var steps []step
	for _, p := range set.Pins {
		rule, _ := ruleFor(rules, set.API, p.Name())
		steps = append(steps, step{p, rule})
	}
	text, err := json.Marshal(steps)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// readStamp returns the stamp of a folder if the folder still is what the stamp says.
func readStamp(folder, wantRecipe string) (*Stamp, bool) {
	text, err := os.ReadFile(filepath.Join(folder, stampName))
	if err != nil {
		return nil, false
	}
	stamp := new(Stamp)
	if json.Unmarshal(text, stamp) != nil || stamp.Recipe != wantRecipe || len(stamp.Files) == 0 {
		return nil, false
	}
	for _, f := range stamp.Files {
		sum, err := fileSum(filepath.Join(folder, filepath.FromSlash(f.Path)))
		if safeName(f.Path) != nil || err != nil || sum != f.SHA256 {
			return nil, false
		}
	}
	return stamp, true
}
