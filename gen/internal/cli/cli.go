// Package cli is the frame of the generator's command line: it finds the command, parses its flags,
// shows help, and turns errors into an exit code.
package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// Command is one thing that the program can do.
type Command struct {
	Name  string // as on the command line
	Args  string // what stands behind the name in the usage line: "-api name -I dir"
	Short string // one line
	Long  string // more, for the command's own -h; may be empty
	// Flags declares the flags and returns what runs after they were parsed, with the arguments left
	// over.
	Flags func(fs *flag.FlagSet) func(env *Env, args []string) error
}

// Env is where a command writes to.
type Env struct {
	Stdout io.Writer // results
	Stderr io.Writer // progress and summary
	start  time.Time
	mu     sync.Mutex // guards writing to Stderr
}

// ErrUsage is in the error of a command that was called in a wrong way; the exit code is 2.
var ErrUsage = errors.New("usage")

// ErrDrift is in the error of a command that compared and found a difference where none may be; the
// exit code is 1.
var ErrDrift = errors.New("out of date")

// Usagef makes an error for a call that can't be right.
func Usagef(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUsage, fmt.Sprintf(format, args...))
}

// Progressf tells what is going on. It may be called by several goroutines at once.
func (e *Env) Progressf(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	fmt.Fprintf(e.Stderr, format+"\n", args...)
}

// Donef writes the summary line, with the time that the command took.
func (e *Env) Donef(format string, args ...any) {
	e.Progressf("%s in %s", fmt.Sprintf(format, args...), e.Elapsed())
}

// Elapsed is the time since the command began, rounded for reading.
func (e *Env) Elapsed() time.Duration { return time.Since(e.start).Round(time.Millisecond) }

// Run executes the command line args (without the program's name) and returns the exit code: 0, 1
// for an error, 2 for wrong usage.
func Run(prog string, commands []Command, args []string, stdout, stderr io.Writer) int {
	commands = slices.Clone(commands)
	slices.SortFunc(commands, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	if len(args) == 0 {
		usage(prog, commands, stderr)
		return 2
	}
	switch args[0] {
	case "-h", "-help", "--help", "help":
		usage(prog, commands, stdout)
		return 0
	}
	i := slices.IndexFunc(commands, func(c Command) bool { return c.Name == args[0] })
	if i < 0 {
		fmt.Fprintf(stderr, "%s: no command is named %q\n", prog, args[0])
		usage(prog, commands, stderr)
		return 2
	}
	return run(prog, commands[i], args[1:], stdout, stderr)
}

func run(prog string, c Command, args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	body := c.Flags(fs)
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		help(prog, c, fs, stdout)
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "%s %s: %v; see %s %s -h\n", prog, c.Name, err, prog, c.Name)
		return 2
	}
	env := &Env{Stdout: stdout, Stderr: stderr, start: time.Now()}
	if err := body(env, fs.Args()); err != nil {
		fmt.Fprintf(stderr, "%s %s: %v\n", prog, c.Name, err)
		if errors.Is(err, ErrUsage) {
			fmt.Fprintf(stderr, "see %s %s -h\n", prog, c.Name)
			return 2
		}
		return 1
	}
	return 0
}

func usage(prog string, commands []Command, w io.Writer) {
	fmt.Fprintf(w, "usage: %s command [flags]\n\ncommands:\n", prog)
	for _, c := range commands {
		fmt.Fprintf(w, "  %-10s %s\n", c.Name, c.Short)
	}
	fmt.Fprintf(w, "\n%s command -h tells more.\n", prog)
}

func help(prog string, c Command, fs *flag.FlagSet, w io.Writer) {
	fmt.Fprintf(w, "usage: %s %s %s\n\n%s.\n", prog, c.Name, c.Args, c.Short)
	if c.Long != "" {
		fmt.Fprintf(w, "\n%s\n", c.Long)
	}
	fmt.Fprintf(w, "\nflags:\n")
	fs.SetOutput(w)
	fs.PrintDefaults()
}
