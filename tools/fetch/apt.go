package main

import (
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
)

// aptSource fetches Debian packages through a configuration of its own: the machine's mirror, other
// suites, and state and cache in a private folder. The machine's own configuration is read, never
// written.
type aptSource struct {
	run      Runner
	lookPath func(string) (string, error)
	release  string // os-release
	dir      string // our state
	suites   []string
	areas    []string
	progress func(format string, args ...any)

	mu    sync.Mutex // apt locks its folders: one call at a time
	ready bool
	conf  string
	err   error // why apt can't be used
}

func newAptSource(run Runner, dir string, pins []Pin, progress func(string, ...any)) *aptSource {
	s := &aptSource{run: run, lookPath: exec.LookPath, release: "/etc/os-release", dir: dir,
		areas: []string{"main"}, progress: progress}
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

// codename is the release's name in the text of os-release.
var codename = regexp.MustCompile(`(?m)^VERSION_CODENAME=["']?([a-z]+)`)

// archives are the addresses of the distribution's own main archive, of which other suites can be
// asked too.
func (s *aptSource) archives(ctx context.Context) (addresses []string, err error) {
	out, err := s.run(ctx, "", "apt-get", "indextargets", "--format",
		"$(REPO_URI) $(RELEASE) $(COMPONENT)", "Created-By: Packages")
	if err != nil {
		return nil, err
	}
	suites := []string{"stable", "testing", "unstable", "sid"}
	text, err := os.ReadFile(s.release)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	if m := codename.FindSubmatch(text); m != nil {
		suites = append(suites, string(m[1]))
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) == 3 && f[2] == "main" && slices.Contains(suites, f[1]) &&
			!slices.Contains(addresses, f[0]) {
			addresses = append(addresses, f[0])
		}
	}
	if len(addresses) == 0 {
		return nil, errors.New("no Debian archive among apt's sources: the suites have to come from a " +
			"mirror that this machine already trusts")
	}
	return addresses, nil
}

// keyring has the keys of all of Debian's suites.
const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// configure writes the private configuration and returns its path.
func (s *aptSource) configure(ctx context.Context) (string, error) {
	addresses, err := s.archives(ctx)
	if err != nil {
		return "", err
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
	source := fmt.Sprintf("Types: deb\nURIs: %s\nSuites: %s\nComponents: %s\n",
		strings.Join(addresses, " "), strings.Join(s.suites, " "), strings.Join(s.areas, " "))
	if _, err := os.Stat(keyring); err == nil {
		source += "Signed-By: " + keyring + "\n"
	}
	conf := filepath.Join(dir, "apt.conf")
	for name, text := range map[string]string{conf: aptConf(dir),
		filepath.Join(dir, "parts", "archive.sources"): source,
		filepath.Join(dir, "state", "status"):          ""} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return conf, nil
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
	if s.ready || s.err != nil {
		return s.err
	}
	for _, program := range []string{"apt-get", "apt-cache", "dpkg-deb"} {
		if _, err := s.lookPath(program); err != nil {
			s.err = errors.New("no " + program + " on this machine")
			return s.err
		}
	}
	if s.conf, s.err = s.configure(ctx); s.err != nil {
		return s.err
	}
	s.progress("reading the package indexes of %s", strings.Join(s.suites, ", "))
	if _, err := s.run(ctx, s.dir, "apt-get", "-q", "-c", s.conf, "update"); err != nil {
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
		return "", unreachable(pin.String(), err)
	}
	if _, err := s.run(ctx, dir, "apt-get", "-q", "-c", s.conf, "download",
		pin.Deb+"="+pin.Release); err != nil {
		return "", unreachable(pin.String(), fmt.Sprintf("%v; if %s has moved on, -update prints its "+
			"release", err, pin.Suite))
	}
	return onlyFile(dir, ".deb", pin)
}

// Newer asks each pinned suite for its release of each pinned package.
func (s *aptSource) Newer(ctx context.Context, pins []Pin, _ int) ([]Pin, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.prepare(ctx); err != nil {
		return nil, unreachable("apt", err)
	}
	var found []Pin
	var errs []error
	for _, pin := range pins {
		out, err := s.run(ctx, s.dir, "apt-cache", "-c", s.conf, "madison", pin.Deb)
		if err != nil {
			errs = append(errs, unreachable(pin.Deb, err))
			continue
		}
		release, ok := parseMadison(string(out), pin.Suite)
		if !ok && pin.Release == "" {
			continue // another suite may have it
		}
		if !ok {
			errs = append(errs, unreachable(pin.Deb, pin.Suite+" does not have it (any more)"))
			continue
		}
		if release == pin.Release {
			continue
		}
		text, err := s.run(ctx, s.dir, "apt-cache", "-c", s.conf, "show", pin.Deb+"="+release)
		if err != nil {
			errs = append(errs, unreachable(pin.Deb, err))
			continue
		}
		candidate := pin
		if upstream := upstreamOf(pin.Release); upstream == pin.Version {
			candidate.Version = upstreamOf(release)
		}
		if m := sumField.FindSubmatch(text); m != nil {
			candidate.SHA256 = string(m[1])
		}
		candidate.Release = release
		found = append(found, candidate)
	}
	return found, errors.Join(errs...)
}

// parseMadison picks a suite's release out of the table that apt-cache madison prints: name |
// release | address suite/area arch Packages.
func parseMadison(text, suite string) (string, bool) {
	for line := range strings.Lines(text) {
		columns := strings.Split(line, "|")
		if len(columns) == 3 && strings.Contains(columns[2], " "+suite+"/") {
			return strings.TrimSpace(columns[1]), true
		}
	}
	return "", false
}

// sumField is the line of a package's description that has its checksum.
var sumField = regexp.MustCompile(`(?m)^SHA256:\s*(\S+)`)

// revision is what Debian adds to the upstream version of a release: 1:5.7.1+dfsg-6 is 5.7.1.
var revision = regexp.MustCompile(`^[^:]*:|[+~].*$|-[^-]*$`)

// upstreamOf cuts a Debian release to the upstream version.
func upstreamOf(release string) string { return revision.ReplaceAllString(release, "") }
