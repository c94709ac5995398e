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

	"github.com/gpuevent/gpuevent/internal/versions"
)

// pipSource fetches wheels with the machine's pip, from whatever index it is configured for.
type pipSource struct {
	run      Runner
	lookPath func(string) (string, error)

	once   sync.Once
	client []string
	why    string

	mu   sync.Mutex
	down *UnreachableError
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
		return "", &UnreachableError{Package: pin.String(), Reason: why, Down: true}
	}
	s.mu.Lock()
	down := s.down
	s.mu.Unlock()
	if down != nil {
		return "", &UnreachableError{Package: pin.String(),
			Reason: "the index did not answer for " + down.Package, Down: true}
	}
	err := s.download(ctx, client, pin, dir)
	if command, ok := errors.AsType[*CommandError](err); ok && pin.SHA256 != "" &&
		strings.Contains(command.Stderr, "DO NOT MATCH THE HASHES") {
		// Take what the index has: whoever compares the checksums can name both.
		err = s.download(ctx, client, Pin{Pip: pin.Pip, Release: pin.Release}, dir)
	}
	if err != nil {
		unreachable := &UnreachableError{Package: pin.String(), Reason: err.Error()}
		if command, ok := errors.AsType[*CommandError](err); ok && indexDown.MatchString(command.Stderr) {
			unreachable.Down = true
			unreachable.Reason = "the package index did not answer: " + unreachable.Reason
			s.mu.Lock()
			s.down = unreachable
			s.mu.Unlock()
		}
		return "", unreachable
	}
	return onlyFile(dir, ".whl", pin)
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

// onlyFile returns the one file that a client left in a folder.
func onlyFile(dir, suffix string, pin Pin) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		if entry.Type().IsRegular() && strings.HasSuffix(entry.Name(), suffix) {
			return filepath.Join(dir, entry.Name()), nil
		}
	}
	return "", &UnreachableError{Package: pin.String(),
		Reason: "the client reported success but left no " + suffix + " file"}
}

// Newer asks the index for the newest patch of every version of the pinned packages.
func (s *pipSource) Newer(ctx context.Context, pins []Pin, parts int) ([]Pin, error) {
	client, why := s.find(ctx)
	if client == nil {
		return nil, &UnreachableError{Package: "pip", Reason: why, Down: true}
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
			errs = append(errs, &UnreachableError{Package: name, Reason: err.Error()})
			continue
		}
		oldest := oldestOf(pins, name)
		for _, candidate := range newestPatches(name, parsePipVersions(string(out)), parts) {
			if !pinnedAlready(pins, candidate) && versions.Compare(candidate.Release, oldest) > 0 {
				found = append(found, candidate)
			}
		}
	}
	return found, errors.Join(errs...)
}

// parsePipVersions reads the "Available versions:" line of `pip index versions`.
func parsePipVersions(text string) []string {
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "Available versions:")
		if !ok {
			continue
		}
		var versions []string
		for v := range strings.SplitSeq(rest, ",") {
			if v = strings.TrimSpace(v); releaseName.MatchString(v) {
				versions = append(versions, v)
			}
		}
		return versions
	}
	return nil
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

// oldestOf is the oldest pinned release of a package: what came before it was left out on purpose.
func oldestOf(pins []Pin, name string) string {
	oldest := ""
	for _, p := range pins {
		if p.Name() == name && (oldest == "" || versions.Compare(p.Release, oldest) < 0) {
			oldest = p.Release
		}
	}
	return oldest
}

func pinnedAlready(pins []Pin, candidate Pin) bool {
	return slices.ContainsFunc(pins, func(p Pin) bool {
		return p.Name() == candidate.Name() && p.Suite == candidate.Suite &&
			p.Release == candidate.Release
	})
}

// namesOf lists the packages of pins, each once.
func namesOf(pins []Pin) []string {
	var names []string
	for _, p := range pins {
		if !slices.Contains(names, p.Name()) {
			names = append(names, p.Name())
		}
	}
	return names
}
