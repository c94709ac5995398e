package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// aptSource fetches Debian packages through a configuration of its own: the machine's mirror and
// keys, other suites, and state and cache in a private folder. The machine's own configuration is
// read, never written.
type aptSource struct {
	run      Runner
	lookPath func(string) (string, error)
	etc      string // the machine's apt configuration
	release  string // os-release
	dir      string // our state
	suites   []string
	areas    []string
	progress func(format string, args ...any)

	mu    sync.Mutex // apt locks its folders: one call at a time
	ready bool
	conf  string
	why   string
}

func newAptSource(run Runner, dir string, pins []Pin, progress func(string, ...any)) *aptSource {
	s := &aptSource{run: run, lookPath: exec.LookPath, etc: "/etc/apt", release: "/etc/os-release",
		dir: dir, areas: []string{"main"}, progress: progress}
	for _, p := range pins {
		if p.Suite != "" && !slices.Contains(s.suites, p.Suite) {
			s.suites = append(s.suites, p.Suite)
		}
		if p.Area != "" && !slices.Contains(s.areas, p.Area) {
			s.areas = append(s.areas, p.Area)
		}
	}
	return s
}

// configure writes the private configuration and returns its path.
func (s *aptSource) configure() (string, error) {
	entries, err := readAptSources(s.etc)
	if err != nil {
		return "", err
	}
	osRelease, err := os.ReadFile(s.release)
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	entries = archiveEntries(entries, codenameOf(string(osRelease)))
	if len(entries) == 0 {
		return "", fmt.Errorf("no Debian archive among the sources in %s: the suites have to come from "+
			"a mirror that this machine already trusts", s.etc)
	}
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		return "", err
	}
	for _, sub := range []string{"parts", "none", "state/lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return "", err
		}
	}
	var stanzas strings.Builder
	for _, e := range entries {
		stanzas.WriteString(e.stanza(s.suites, s.areas))
	}
	if err := os.WriteFile(filepath.Join(dir, "parts", "archive.sources"), []byte(stanzas.String()),
		0o644); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "state", "status"), nil, 0o644); err != nil {
		return "", err
	}
	conf := filepath.Join(dir, "apt.conf")
	return conf, os.WriteFile(conf, []byte(aptConf(dir)), 0o644)
}

// aptConf is read after the machine's own configuration, so that its proxy and certificates count
// and its folders don't.
func aptConf(dir string) string {
	quoted := func(parts ...string) string {
		return `"` + filepath.Join(append([]string{dir}, parts...)...) + `"`
	}
	return `Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts ` + quoted("parts") + `;
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts ` + quoted("none") + `;
Dir::State ` + quoted("state") + `;
Dir::State::lists ` + quoted("state", "lists") + `;
Dir::State::status ` + quoted("state", "status") + `;
Dir::Cache ` + quoted("cache") + `;
Dir::Cache::archives ` + quoted("cache", "archives") + `;
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
#clear APT::Architectures;
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear Acquire::IndexTargets::deb::DEP-11;
#clear Acquire::IndexTargets::deb::DEP-11-icons;
#clear Acquire::IndexTargets::deb::DEP-11-icons-small;
#clear Acquire::IndexTargets::deb::DEP-11-icons-hidpi;
Acquire::Languages "none";
Acquire::Retries "1";
APT::Sandbox::User "root";
`
}

// prepare configures apt and reads the suites' indexes, once. The caller holds the lock.
func (s *aptSource) prepare(ctx context.Context) error {
	if s.why != "" {
		return errors.New(s.why)
	}
	if s.ready {
		return nil
	}
	for _, program := range []string{"apt-get", "apt-cache", "dpkg-deb"} {
		if _, err := s.lookPath(program); err != nil {
			s.why = "no " + program + " on this machine"
			return errors.New(s.why)
		}
	}
	conf, err := s.configure()
	if err != nil {
		s.why = err.Error()
		return err
	}
	s.conf = conf
	s.progress("reading the package indexes of %s", strings.Join(s.suites, ", "))
	if _, err := s.run(ctx, s.dir, "apt-get", "-q", "-c", conf, "update"); err != nil {
		// One suite that doesn't answer must not hide the others: what is missing shows at the download.
		s.progress("warning: apt-get update: %v", err)
	}
	s.ready = true
	return nil
}

// Fetch downloads the pinned package.
func (s *aptSource) Fetch(ctx context.Context, pin Pin, dir string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.prepare(ctx); err != nil {
		return "", &UnreachableError{Package: pin.String(), Reason: err.Error(), Down: true}
	}
	if _, err := s.run(ctx, dir, "apt-get", "-q", "-c", s.conf, "download",
		pin.Deb+"="+pin.Release); err != nil {
		return "", &UnreachableError{Package: pin.String(),
			Reason: err.Error() + "; if " + pin.Suite + " has moved on, -update prints its release"}
	}
	return onlyFile(dir, ".deb", pin)
}

// Newer asks each pinned suite for its release of each pinned package.
func (s *aptSource) Newer(ctx context.Context, pins []Pin, _ int) ([]Pin, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.prepare(ctx); err != nil {
		return nil, &UnreachableError{Package: "apt", Reason: err.Error(), Down: true}
	}
	var found []Pin
	var errs []error
	for _, pin := range pins {
		out, err := s.run(ctx, s.dir, "apt-cache", "-c", s.conf, "madison", pin.Deb)
		if err != nil {
			errs = append(errs, &UnreachableError{Package: pin.Deb, Reason: err.Error()})
			continue
		}
		release, ok := parseMadison(string(out), pin.Suite)
		if !ok && pin.Release == "" {
			continue // another suite may have it
		}
		if !ok {
			errs = append(errs, &UnreachableError{Package: pin.Deb,
				Reason: pin.Suite + " does not have it (any more)"})
			continue
		}
		if release == pin.Release {
			continue
		}
		text, err := s.run(ctx, s.dir, "apt-cache", "-c", s.conf, "show", pin.Deb+"="+release)
		if err != nil {
			errs = append(errs, &UnreachableError{Package: pin.Deb, Reason: err.Error()})
			continue
		}
		candidate := pin
		if upstream := upstreamOf(pin.Release); upstream == pin.Version {
			candidate.Version = upstreamOf(release)
		}
		candidate.Release, candidate.SHA256 = release, deb822Field(string(text), "SHA256")
		found = append(found, candidate)
	}
	return found, errors.Join(errs...)
}

// parseMadison picks a suite's release out of the table that apt-cache madison prints: name |
// release | address suite/area arch Packages.
func parseMadison(text, suite string) (string, bool) {
	for line := range strings.Lines(text) {
		columns := strings.Split(line, "|")
		if len(columns) != 3 {
			continue
		}
		for field := range strings.FieldsSeq(columns[2]) {
			if strings.HasPrefix(field, suite+"/") {
				return strings.TrimSpace(columns[1]), true
			}
		}
	}
	return "", false
}

// deb822Field returns the first value of a field.
func deb822Field(text, name string) string {
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
