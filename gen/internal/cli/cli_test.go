package cli

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRun(t *testing.T) {
	t.Parallel()
	commands := []Command{
		{
			Name: "say", Args: "[-n times] word", Short: "say a word", Long: "It is said aloud.",
			Flags: func(fs *flag.FlagSet) func(*Env, []string) error {
				n := fs.Int("n", 1, "how many `times`")
				return func(env *Env, args []string) error {
					if len(args) != 1 {
						return Usagef("one word is needed, %d given", len(args))
					}
					for range *n {
						fmt.Fprintln(env.Stdout, args[0])
					}
					env.Progressf("saying %s", args[0])
					env.Donef("said %d", *n)
					return nil
				}
			},
		},
		{
			Name: "fail", Short: "fail", Flags: func(*flag.FlagSet) func(*Env, []string) error {
				return func(*Env, []string) error { return errors.New("file:3: broken") }
			},
		},
	}
	tests := []struct {
		name   string
		args   []string
		code   int
		stdout []string
		stderr []string
	}{
		{"nothing", nil, 2, nil, []string{"usage: gen command", "fail", "say a word"}},
		{"help", []string{"-h"}, 0, []string{"usage: gen command", "say a word"}, nil},
		{"unknown command", []string{"sing"}, 2, nil,
			[]string{`no command is named "sing"`, "say a word"}},
		{"command's help", []string{"say", "-h"}, 0,
			[]string{"usage: gen say [-n times] word", "It is said aloud.", "how many times"}, nil},
		{"unknown flag", []string{"say", "-x"}, 2, nil,
			[]string{"gen say: flag provided but not defined: -x; see gen say -h"}},
		{"wrong call", []string{"say"}, 2, nil,
			[]string{"one word is needed, 0 given", "see gen say -h"}},
		{"works", []string{"say", "-n", "2", "hi"}, 0, []string{"hi\nhi\n"},
			[]string{"saying hi\n", "said 2 in "}},
		{"fails", []string{"fail"}, 1, nil, []string{"gen fail: file:3: broken\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			assert.Equal(t, tt.code, Run("gen", commands, tt.args, &stdout, &stderr))
			for _, s := range tt.stdout {
				assert.Contains(t, stdout.String(), s)
			}
			for _, s := range tt.stderr {
				assert.Contains(t, stderr.String(), s)
			}
			if tt.stdout == nil {
				assert.Empty(t, stdout.String())
			}
			if tt.stderr == nil {
				assert.Empty(t, stderr.String())
			}
		})
	}
}

func TestProgressOfSeveral(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	env := &Env{Stderr: &stderr}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { env.Progressf("a line of %d words", 5) })
	}
	wg.Wait()
	assert.Equal(t, strings.Repeat("a line of 5 words\n", 8), stderr.String())
}
