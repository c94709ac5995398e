package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gpuevent/gpuevent/gen/header"
	"github.com/gpuevent/gpuevent/gen/internal/cli"
	"github.com/gpuevent/gpuevent/gen/model"
)

// supplemented adds the release of a supplement to those that were read: the newest older one, from
// its own headers, with what the supplement declares. Without those headers, also if only the spec
// knows the newest older release, the spec's view of it stays; known are the spec's releases.
func supplemented(env *cli.Env, api apiHeader, s *header.Supplement, known []model.Version,
	sources []source, releases []model.Release) ([]model.Release, error) {
	base := -1
	for i, r := range releases {
		if s.For(r.Name()) {
			return nil, fmt.Errorf("%w %s: %s %s has headers of its own now, in %s: remove the file, then "+
				"make specs generate", header.ErrSupplement, s.File, api.name, r.Name(), sources[i].dir)
		}
		if model.CompareVersions(r.Name(), s.Version) < 0 &&
			(base < 0 || model.CompareVersions(r.Name(), releases[base].Name()) > 0) {
			base = i
		}
	}
	if base < 0 {
		return releases, nil
	}
	for _, v := range known {
		if v.Supplement == "" && model.CompareVersions(v.Name, releases[base].Name()) > 0 &&
			model.CompareVersions(v.Name, s.Version) < 0 {
			env.Progressf("%s belongs on top of %s %s, whose headers are not there", s.File, api.name,
				v.Name)
			return releases, nil
		}
	}
	env.Progressf("reading %s on top of %s %s", s.File, api.name, releases[base].Name())
	r, err := header.Parse(header.Options{API: api.name, Header: *api.Header, Dir: sources[base].dir,
		Version: releases[base].Name(), Supplement: s})
	if err != nil {
		return nil, err
	}
	return append(slices.Clone(releases), r), nil
}

// gone reports whether the spec has a release from a supplement that is no longer there.
func gone(v model.Version, s *header.Supplement) bool {
	return v.Supplement != "" && (s == nil || !s.For(v.Name))
}

// supplementOf reads the supplement beside a spec file, if there is one.
func supplementOf(spec, api string) (*header.Supplement, error) {
	return header.LoadSupplement(filepath.Dir(spec), api)
}
