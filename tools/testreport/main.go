// Command testreport runs go test -json and prints a line for each package. After the last one it
// prints a line for each reason why a test was skipped, then the output of the failed tests.
//
//	testreport go test -json ./...
//
// Its exit status is the command's.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: testreport go test -json [flags] packages")
		os.Exit(2)
	}
	status, err := run(os.Args[1], os.Args[2:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
	}
	os.Exit(status)
}

func run(name string, args ...string) (status int, err error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 2, err
	}
	if err := cmd.Start(); err != nil {
		return 2, err
	}
	r := newReport(os.Stdout)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			r.add(line)
		}
		if err != nil {
			break
		}
	}
	err = cmd.Wait()
	r.finish()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return max(exit.ExitCode(), 1), nil // -1 after a signal
	case err != nil:
		return 2, err
	}
	return 0, nil
}
