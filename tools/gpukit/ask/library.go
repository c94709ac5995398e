package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/testing/bindings"
	"github.com/gpuevent/gpuevent/internal/versions"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// apis are the names of all libraries that are bound.
func apis() (names []string) {
	for _, a := range bindings.All {
		names = append(names, a.Name)
	}
	return names
}

// library opens a vendor's library and asks it what needs no device.
func library(ctx context.Context, name string) (report.LibraryAnswer, error) {
	api, ok := bindings.Named(name)
	if !ok {
		return report.LibraryAnswer{}, fmt.Errorf("there is no API %q: it is one of %s", name,
			strings.Join(apis(), ", "))
	}
	answer := report.LibraryAnswer{Library: report.Library{API: name}}
	if err := api.Load(); err != nil {
		var e *cudrv.LibraryError // the same type for all
		if errors.As(err, &e) && errors.Is(err, cudrv.ErrLibraryNotFound) {
			return answer, fmt.Errorf("%w: %s", errNotPossible, notFound(e))
		}
		return answer, err
	}
	answer.Library.File = filepath.Base(api.Library.Path())
	c := &check{}
	release := ""
	c.test("version", func() (err error) {
		release, err = versionOf[name]()
		return err
	})
	answer.Library.Version = release
	c.functions(api, release)
	if available[name] != nil {
		if err := available[name](); err != nil {
			answer.Library.Reason = err.Error()
		}
	}
	if compilers[name].target != "" {
		compile(ctx, c, name)
	}
	answer.Tests = c.Tests
	return answer, nil
}

// notFound says what is missing, and why what was found does not open, each reason once.
func notFound(e *cudrv.LibraryError) string {
	text := fmt.Sprintf("no library: %s, or set %s to its path", e.Remedy, e.Env)
	var told []string
	for _, a := range e.Attempts {
		if !slices.Contains(absent, strings.ToLower(a.Reason)) && !slices.Contains(told, a.Reason) {
			told = append(told, a.Reason)
			text += fmt.Sprintf("; %s: %s", a.Path, a.Reason)
		}
	}
	return text
}

// absent are the reasons of attempts where there is no file.
var absent = []string{"no such file or directory",
	"cannot open shared object file: no such file or directory"}

// functions looks up every function of the bindings. A call of one that is missing is an error of
// its own, so that some are missing is worth saying, and no failure. A library without any is
// another one.
func (c *check) functions(api bindings.API, release string) {
	var lacks []string
	found := 0
	for i := range api.Functions {
		f := &api.Functions[i]
		switch {
		case api.Library.Has(f.C):
			found++
		case release != "" && versions.Compare(f.Since, release) <= 0 && f.Lacks(release) == "" &&
			!slices.Contains(lacks, f.C):
			lacks = append(lacks, f.C)
		}
	}
	if found == 0 {
		c.test("functions", func() error { return errors.New("the library has none of its functions") })
		return
	}
	c.Passed++
	if len(lacks) > 0 {
		c.Skipped += len(lacks)
		c.Skips = append(c.Skips, report.Skip{Tests: lacks,
			Reason: "headers up to " + release + " declare it, and the library does not have it"})
	}
}

// check counts what is found out in one process.
type check struct{ report.Tests }

// test counts f. A skip is an error with errNotPossible.
func (c *check) test(name string, f func() error) {
	switch err := f(); {
	case errors.Is(err, errNotPossible):
		c.Skipped++
		c.Skips = append(c.Skips, report.Skip{Reason: err.Error(), Tests: []string{name}})
	case err != nil:
		c.Failed++
		c.Failures = append(c.Failures, report.Failure{Name: name, Text: err.Error()})
	default:
		c.Passed++
	}
}
