package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/versions"
)

// pipSource fetches wheels with the machine's pip, from whatever index it is configured for.
type pipSource struct {
	run      Runner
	lookPath func(string) (string, error)

	once   sync.Once
	client []string
	why    string

	down atomic.Pointer[string] // the package for which the index did not answer
}

func newPipSource(run Runner) *pipSource {
	return &pipSource{run: run, lookPath: exec.LookPath}
}

// pipClients are the ways to call pip, best first.
var pipClients = [][]string{{"python3", "-m", "pip"}, {"pip3"}, {"pip"}, {"python", "-m", "pip"}}

// find looks for a pip that works, once.
func (s *pipSource) find(ctx context.Context) ([]string, string) {
	s.once.Do(func() {
		var tried []string
		for _, client := range pipClients {
			if _, err := s.lookPath(client[0]); err != nil {
				tried = append(tried, client[0]+" is not there")
				continue
			}
			if _, err := s.run(ctx, "", client[0],
				append(slices.Clone(client[1:]), "--version")...); err != nil {
				tried = append(tried, err.Error())
				continue
			}
			s.client = client
			return
		}
		s.why = "no pip on this machine (" + strings.Join(tried, "; ") + "): install python3-pip"
	})
	return s.client, s.why
}

// indexDown matches what pip says when the index didn't answer, as opposed to not having the
// release.
var indexDown = regexp.MustCompile(
	`(?i)NewConnectionError|ConnectTimeout|ReadTimeout|Max retries|Temporary failure|Connection refused|ProxyError|SSLError|Name or service not known`)

// otherHash matches what pip says of a wheel that is not the pinned one.
var otherHash = regexp.MustCompile("DO NOT MATCH THE HASHES")

// pipPlatforms are the tags of the wheels that we want, the same on every machine: a header is the
// same text on all of them, and a pin names one file. Wheels with a module for one Python are taken
// for the CPython that the pin names, or for 3.12.
func pipPlatforms(python string) []string {
	python = cmp.Or(python, "3.12")
	args := []string{"--only-binary=:all:", "--implementation", "cp",
		"--abi", "cp" + strings.ReplaceAll(python, ".", ""), "--python-version", python}
	// Without a checksum pip takes the first platform that fits: the order decides which wheel a new
	// pin will name.
	for minor := 45; minor >= 17; minor-- {
		args = append(args, "--platform", fmt.Sprintf("manylinux_2_%d_x86_64", minor))
	}
	for _, legacy := range []string{"manylinux2014", "manylinux2010", "manylinux1"} {
		args = append(args, "--platform", legacy+"_x86_64")
	}
	return args
}

// Fetch downloads the pinned wheel.
func (s *pipSource) Fetch(ctx context.Context, pin Pin, dir string) (string, error) {
	client, why := s.find(ctx)
	if client == nil {
		return "", unreachable(pin.String(), why)
	}
	if other := s.down.Load(); other != nil {
		return "", unreachable(pin.String(), "the index did not answer for "+*other)
	}
	err := s.download(ctx, client, pin, dir)
	if said(err, otherHash) && pin.SHA256 != "" {
		// Take what the index has: the comparison of the checksums can name both.
		err = s.download(ctx, client, Pin{Pip: pin.Pip, Release: pin.Release}, dir)
	}
	if said(err, indexDown) {
		name := pin.String()
		s.down.Store(&name)
		return "", unreachable(name, "the package index did not answer: "+err.Error())
	}
	if err != nil {
		return "", unreachable(pin.String(), err)
	}
	return onlyFile(dir, ".whl", pin)
}

// said reports whether an error is of a command that printed something.
func said(err error, pattern *regexp.Regexp) bool {
	command, ok := errors.AsType[*CommandError](err)
	return ok && pattern.MatchString(command.Stderr)
}

// download runs pip. A release may have several wheels: a checksum makes pip choose the pinned one.
func (s *pipSource) download(ctx context.Context, client []string, pin Pin, dir string) error {
	requirement := pin.Pip + "==" + pin.Release
	if pin.SHA256 != "" {
		requirement += " --hash=sha256:" + pin.SHA256
	}
	file := filepath.Join(dir, "requirements.txt")
	if err := os.WriteFile(file, []byte(requirement+"\n"), 0o600); err != nil {
		return err
	}
	args := slices.Concat(client[1:],
		[]string{"download", "--quiet", "--no-deps", "--retries", "1", "--dest", dir},
		pipPlatforms(pin.Python),
		[]string{"--requirement", file})
	_, err := s.run(ctx, dir, client[0], args...)
	return err
}

// Newer asks the index for the newest patch of every version of the pinned packages.
func (s *pipSource) Newer(ctx context.Context, pins []Pin, parts int) ([]Pin, error) {
	client, why := s.find(ctx)
	if client == nil {
		return nil, unreachable("pip", why)
	}
	var found []Pin
	var errs []error
	for _, name := range namesOf(pins) {
		if !counts(pins, name, parts) {
			continue
		}
		out, err := s.run(ctx, "", client[0],
			slices.Concat(client[1:], []string{"index", "versions", "--retries", "1"}, pipPlatforms(""),
				[]string{name})...)
		if err != nil {
			errs = append(errs, unreachable(name, err))
			continue
		}
		var pinned []string
		for _, p := range pins {
			if p.Name() == name {
				pinned = append(pinned, p.Release)
			}
		}
		// releases before the oldest pinned one were left out on purpose
		oldest := slices.MinFunc(pinned, versions.Compare)
		for _, candidate := range newestPatches(name, parsePipVersions(out), parts) {
			if !slices.Contains(pinned, candidate.Release) &&
				versions.Compare(candidate.Release, oldest) > 0 {
				found = append(found, candidate)
			}
		}
	}
	return found, errors.Join(errs...)
}

// available is the line of `pip index versions` with all of them.
var available = regexp.MustCompile(`(?m)^\s*Available versions:(.*)$`)

// parsePipVersions reads the releases that `pip index versions` lists.
func parsePipVersions(text []byte) (releases []string) {
	if m := available.FindSubmatch(text); m != nil {
		for v := range strings.SplitSeq(string(m[1]), ",") {
			if v = strings.TrimSpace(v); releaseName.MatchString(v) {
				releases = append(releases, v)
			}
		}
	}
	return releases
}

// counts reports whether a package's releases name the versions of the headers in it: those of the
// pinned ones do, or none is pinned yet.
func counts(pins []Pin, name string, parts int) bool {
	return slices.ContainsFunc(pins, func(p Pin) bool {
		return p.Name() == name && (p.Release == "" || p.Version == versions.First(p.Release, parts))
	})
}

// newestPatches keeps the newest release of each version, oldest first.
func newestPatches(name string, releases []string, parts int) []Pin {
	best := map[string]string{}
	for _, r := range releases {
		version := versions.First(r, parts)
		if old, ok := best[version]; !ok || versions.Compare(r, old) > 0 {
			best[version] = r
		}
	}
	var pins []Pin
	for version, r := range best {
		pins = append(pins, Pin{Version: version, Pip: name, Release: r})
	}
	slices.SortFunc(pins, func(a, b Pin) int { return versions.Compare(a.Release, b.Release) })
	return pins
}
