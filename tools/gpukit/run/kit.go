package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// kit is one run.
type kit struct {
	options
	out    io.Writer // where progress is shown
	bin    string    // the folder of the programs
	temp   string    // the run's folder for what steps leave; removed at the end
	began  time.Time
	end    time.Time
	grace  time.Duration // from being asked to end to being killed
	shared []string      // folders outside of temp that were there before, see leftovers
	report report.Report
	bus    map[string]string // devices by their place on the bus
}

// errIncomplete says that a program of the kit is missing.
var errIncomplete = errors.New("the kit is incomplete: unpack the archive again, and start " +
	"./gpu-kit in its folder")

// open finds the kit's programs beside this one.
func open(o options, out io.Writer) (*kit, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return nil, err
	}
	return openAt(filepath.Dir(self), o, out)
}

func openAt(dir string, o options, out io.Writer) (*kit, error) {
	k := &kit{options: o, out: out, bin: filepath.Join(dir, "bin"), began: time.Now(), grace: grace,
		shared: leftovers(), bus: map[string]string{}}
	if _, err := os.Stat(k.program("ask")); err != nil {
		return nil, fmt.Errorf("%w (%w)", errIncomplete, err)
	}
	k.end = k.began.Add(o.limit)
	var err error
	if k.temp, err = os.MkdirTemp("", "gpu-kit-"); err != nil {
		return nil, err
	}
	k.report = report.Report{Kind: report.Kind, Schema: report.Schema, Kit: version,
		Began: k.began.UTC().Truncate(time.Second), Limit: o.limit.Seconds(), Machine: machine()}
	return k, nil
}

func (k *kit) program(name string) string { return filepath.Join(k.bin, name) }

// close removes what the run left.
func (k *kit) close() {
	_ = os.RemoveAll(k.temp)
	for _, dir := range leftovers() {
		if !slices.Contains(k.shared, dir) {
			_ = os.Remove(dir) // stays if another program of this user uses it
		}
	}
}

// leftovers are the folders in which events of the host are shared between processes. Processes
// remove their files, and not the folder, which belongs to all of the user's.
func leftovers() (all []string) {
	for _, root := range []string{"/dev/shm", "/tmp", "/var/tmp"} {
		found, _ := filepath.Glob(filepath.Join(root, fmt.Sprintf("gpuevent-%d*", os.Geteuid())))
		all = append(all, found...)
	}
	return all
}

// write writes the report and its page.
func (k *kit) write() error {
	r := &k.report
	r.Seconds = time.Since(k.began).Seconds()
	report.NewScrub(k.names()...).Report(r)
	data, err := r.JSON()
	if err != nil {
		return err
	}
	title := "GPU kit: no GPU"
	if cards := r.Cards(); len(cards) > 0 {
		title = "GPU kit: " + cards[0].Model
	}
	for name, text := range map[string][]byte{"gpu-kit.json": data,
		"gpu-kit.md": []byte(r.Markdown(title, ""))} {
		if err := os.WriteFile(filepath.Join(k.folder, name), text, 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintln(k.out)
	for _, line := range r.Verdict().Lines {
		fmt.Fprintln(k.out, line)
	}
	fmt.Fprintln(k.out, "gpu-kit.md is the page; gpu-kit.json is what to send.")
	if err := r.Check(); err != nil {
		return fmt.Errorf("the report was written, but it is not one to send: %w", err)
	}
	return nil
}

// failed reports whether a step failed.
func (k *kit) failed() bool {
	return slices.ContainsFunc(k.report.Steps, func(s report.Step) bool {
		return s.Outcome == report.Failed || s.Outcome == report.TimedOut
	})
}

func has(all []string, name string) bool { return slices.Contains(all, name) }
