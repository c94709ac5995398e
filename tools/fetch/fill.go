package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Filler fills version folders under one directory.
type Filler struct {
	dir     string
	rules   []Rule
	store   *Store
	openDeb debOpener
	log     *Log
}

// folder is where a set lies.
func (f *Filler) folder(set Set) string { return filepath.Join(f.dir, set.API, set.Version) }

// Fill makes a version folder be what its pins say: reused as it lies if it is, replaced as a whole
// otherwise.
func (f *Filler) Fill(ctx context.Context, set Set) (*Stamp, Outcome) {
	outcome := Outcome{Set: set.String()}
	want, err := recipe(set, f.rules)
	if err != nil {
		return nil, outcome.fail(err)
	}
	folder := f.folder(set)
	if stamp, ok := readStamp(folder, want); ok {
		outcome.State, outcome.Files = Reused, len(stamp.Files)
		return stamp, outcome
	}
	start := time.Now()
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return nil, outcome.fail(err)
	}
	tmp, err := os.MkdirTemp(f.dir, ".tmp-")
	if err != nil {
		return nil, outcome.fail(err)
	}
	defer os.RemoveAll(tmp)
	stamp := &Stamp{Recipe: want}
	if err := f.unpack(ctx, set, tmp, stamp, &outcome); err != nil {
		return nil, outcome.fail(err)
	}
	if err := writeStamp(tmp, stamp); err != nil {
		return nil, outcome.fail(err)
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return nil, outcome.fail(err)
	}
	if err := errors.Join(os.RemoveAll(folder), os.Rename(tmp, folder)); err != nil {
		return nil, outcome.fail(err)
	}
	outcome.State, outcome.Files = Fetched, len(stamp.Files)
	f.log.Linef("%s: %d files in %s", set, len(stamp.Files), time.Since(start).Round(time.Millisecond))
	return stamp, outcome
}

func (f *Filler) unpack(ctx context.Context, set Set, tmp string, stamp *Stamp,
	outcome *Outcome) error {
	root, err := os.OpenRoot(tmp)
	if err != nil {
		return err
	}
	defer root.Close()
	owner := map[string]string{}
	for _, pin := range set.Pins {
		archive, downloaded, err := f.store.Get(ctx, pin)
		if err != nil {
			return err
		}
		if downloaded {
			if info, err := os.Stat(archive); err == nil {
				outcome.Bytes += info.Size()
				f.log.Linef("%s: %s, %s", set, pin, size(info.Size()))
			}
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
			if other, ok := owner[file.Path]; ok {
				return fmt.Errorf("%s: %s and %s both bring %s: narrow an unpack rule", set, other, pin.Name(),
					file.Path)
			}
			owner[file.Path] = pin.Name()
		}
		stamp.Files = append(stamp.Files, files...)
	}
	return nil
}
