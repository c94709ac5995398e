package main

import "context"

// Source is a package index, through the machine's own client for it.
type Source interface {
	// Fetch puts the pinned release into dir and returns its path. It returns an *UnreachableError if
	// that release is not available.
	Fetch(ctx context.Context, pin Pin, dir string) (string, error)
	// Newer lists the releases that the index has and that would be a new or a better pin than those
	// given. A pin without a release stands for a package of which any would be. Versions are named by
	// that many parts of a release.
	Newer(ctx context.Context, pins []Pin, parts int) ([]Pin, error)
}

// Sources picks the source of a pin.
type Sources struct {
	Pip, Apt Source
}

func (s Sources) of(p Pin) Source {
	if p.Pip != "" {
		return s.Pip
	}
	return s.Apt
}
