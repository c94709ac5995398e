package rccl_test

import (
	"fmt"

	"github.com/gpuevent/gpuevent/rccl"
)

// The version of the library, on a machine with or without GPUs.
func Example() {
	v, err := rccl.LibraryVersion()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("RCCL", v, v.AtLeast(2, 18))
}

// Settings of a communicator that does not block. One process makes the id and sends it to all
// others; each of them calls CommInitRankConfig with its GPU as the current device.
func ExampleNewConfig() {
	config := rccl.NewConfig()
	config.Blocking = 0
	id, err := rccl.GetUniqueId()
	if err != nil {
		fmt.Println(err)
		return
	}
	comm, err := rccl.CommInitRankConfig(2, id, 0, &config)
	for err == rccl.ErrInProgress {
		var state rccl.Result
		if state, err = rccl.CommGetAsyncError(comm); err == nil && state == rccl.ErrInProgress {
			err = state
		}
	}
	fmt.Println(comm, err)
}
