// Command ask asks a machine, its drivers and its libraries, and writes what they answer as JSON.
// It is a part of the GPU kit, which runs it in processes of its own: a library that crashes or
// hangs costs one answer.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// errNotPossible is returned by a question that can't be asked on the machine.
var errNotPossible = errors.New("not possible here")

// options are what a question is about.
type options struct {
	device, api, page string
}

// questions are all of them. Each returns what is written as JSON.
var questions = map[string]func(context.Context, options) (any, error){
	"devices":   func(context.Context, options) (any, error) { return devices(), nil },
	"others":    func(context.Context, options) (any, error) { return others() },
	"facts":     func(_ context.Context, o options) (any, error) { return askFacts(o.device, o.page) },
	"library":   func(ctx context.Context, o options) (any, error) { return library(ctx, o.api) },
	"libraries": func(context.Context, options) (any, error) { return apis(), nil },
}

// The exit statuses that the kit knows.
const (
	statusFailed      = 1
	statusUsage       = 2
	statusNotPossible = 3
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

func run(args []string, stderr io.Writer) int {
	var names []string
	for name := range questions {
		names = append(names, name)
	}
	slices.Sort(names)
	flags := flag.NewFlagSet("ask", flag.ContinueOnError)
	flags.SetOutput(stderr)
	var o options
	what := flags.String("what", "", "the question: "+strings.Join(names, ", "))
	out := flags.String("out", "", "the file for the answer")
	limit := flags.Duration("time", time.Minute, "give up after this time")
	flags.StringVar(&o.device, "device", "", "the device to ask about, \"cuda:0\"")
	flags.StringVar(&o.api, "api", "", "the library to ask about, \"nvrtc\"")
	flags.StringVar(&o.page, "page", "", "the `file` with the facts, docs/driver-facts.md")
	if err := flags.Parse(args); err != nil {
		return statusUsage
	}
	question := questions[*what]
	if question == nil || *out == "" || flags.NArg() > 0 {
		fmt.Fprintf(stderr, "ask: it needs -out and -what, one of %s\n", strings.Join(names, ", "))
		return statusUsage
	}
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	answer, err := question(ctx, o)
	if err == nil {
		err = write(*out, answer)
	}
	switch {
	case errors.Is(err, errNotPossible):
		fmt.Fprintln(stderr, err)
		return statusNotPossible
	case err != nil:
		fmt.Fprintln(stderr, "ask:", err)
		return statusFailed
	}
	return 0
}

func write(file string, answer any) error {
	data, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}
