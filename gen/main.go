// Command gen makes the bindings: it reads the vendors' headers into specs and writes Go files from
// them. See gen -h.
package main

import (
	"os"

	"github.com/gpuevent/gpuevent/gen/internal/cli"
)

// commands are filled in by the cmd_*.go files, one each.
var commands []cli.Command

func register(c cli.Command) { commands = append(commands, c) }

func main() { os.Exit(cli.Run("gen", commands, os.Args[1:], os.Stdout, os.Stderr)) }
