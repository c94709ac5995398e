package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// Memory is measured in processes of their own, for a heap that has grown and caches that are
// filled would make the second measurement better than the first.

const (
	memoryOf     = "memory"
	collectionOf = "collection"
	created      = "created"
	recorded     = "created and recorded"
)

// measureMemory starts a process for each measurement: of the memory of some events, and of garbage
// collections with many.
func measureMemory(events, many int) (ms []report.Memory, cs []report.Collection, err error) {
	for _, device := range []string{"cuda:0", "hip:0"} {
		for _, how := range []string{created, recorded} {
			if events > 0 {
				var m report.Memory
				if err := inChild(&m, memoryOf, device, how, events); err != nil {
					return nil, nil, err
				}
				ms = append(ms, m)
			}
		}
		if many > 0 {
			var c report.Collection
			if err := inChild(&c, collectionOf, device, recorded, many); err != nil {
				return nil, nil, err
			}
			cs = append(cs, c)
		}
	}
	return ms, cs, nil
}

// inChild has this program measure in another process.
func inChild(result any, what, device, how string, events int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(self, what, device, how, strconv.Itoa(events))
	child.Stderr = os.Stderr
	output, err := child.Output()
	if err != nil {
		return fmt.Errorf("measure %s of %s in a process of its own: %w", what, device, err)
	}
	return json.Unmarshal(output, result)
}

// asChild does what inChild asks for, if that is what the arguments say.
func asChild(arguments []string) (asked bool, err error) {
	if len(arguments) != 4 || arguments[0] != memoryOf && arguments[0] != collectionOf {
		return false, nil
	}
	events, err := strconv.Atoi(arguments[3])
	if err != nil {
		return true, err
	}
	defer install()()
	d, err := event.Open(arguments[1])
	if err != nil {
		return true, err
	}
	s, err := d.NewStream()
	if err != nil {
		return true, err
	}
	create := func() (*event.Event, error) { return d.NewEvent() }
	if arguments[2] == recorded {
		create = func() (*event.Event, error) { return s.RecordNew() }
	}
	var result any
	if arguments[0] == memoryOf {
		result, err = memory(string(d.Backend())+", "+arguments[2], events, create)
	} else {
		result, err = collection(string(d.Backend()), events, create)
	}
	if err != nil {
		return true, err
	}
	return true, json.NewEncoder(os.Stdout).Encode(result)
}
