//go:build !linux

package main

import (
	"errors"
	"os/exec"
)

// supported is the reason why the kit does not run on an operating system.
var supported = errors.New("the kit is for Linux")

func group(*exec.Cmd) {}

func end(cmd *exec.Cmd, _ bool) { _ = cmd.Process.Kill() }

func ended(*exec.Cmd) {}
