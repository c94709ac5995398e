// Command top shows the GPUs of a machine and the processes on them: utilization, memory,
// temperature and power. On a terminal it refreshes the table in place until it is interrupted;
// elsewhere, or with -once, it prints the table once.
//
// It runs anywhere. Without a library or a GPU it says so and exits with 0.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

func main() {
	once := flag.Bool("once", false, "print the table once")
	every := flag.Duration("every", time.Second, "time between two readings")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	vendors, notes := open(nvidia, amd)
	if len(vendors) == 0 {
		fmt.Println("There is no GPU that this program can read.")
		for _, note := range notes {
			fmt.Println(note)
		}
		return
	}
	var out screen = plain{os.Stdout}
	if !*once && isTerminal(os.Stdout) {
		out = &terminal{out: os.Stdout}
	}
	err := watch(ctx, out, vendors, max(*every, 100*time.Millisecond))
	for _, v := range vendors {
		v.close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "top:", err)
		os.Exit(1)
	}
}

// open opens each vendor's library. Those that can't be used leave a note that says why.
func open(openers ...func() (vendor, error)) (vendors []vendor, notes []string) {
	for _, o := range openers {
		v, err := o()
		if err != nil {
			notes = append(notes, err.Error())
			continue
		}
		vendors = append(vendors, v)
	}
	return vendors, notes
}

// watch shows readings until the context ends, or one if the screen can't be refreshed.
func watch(ctx context.Context, out screen, vendors []vendor, every time.Duration) error {
	defer out.end()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		var gpus []gpu
		for _, v := range vendors {
			found, err := v.read()
			if err != nil {
				return err
			}
			gpus = append(gpus, found...)
		}
		if again, err := out.show(table(gpus)); !again || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// isTerminal reports whether a file is a terminal or another device for characters.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// A screen shows one text after the other.
type screen interface {
	show(text string) (again bool, err error)
	end()
}

// plain is a screen that text can only be added to, so it shows one text.
type plain struct{ out io.Writer }

func (p plain) show(text string) (bool, error) {
	_, err := io.WriteString(p.out, text)
	return false, err
}

func (p plain) end() {}
