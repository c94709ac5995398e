package main

import "time"

// operations prepare the ways of each operation of the plan.
var operations = map[string]func(*rig) (*set, error){
	"record":                     record,
	"query done":                 queryDone,
	"query pending":              queryPending,
	"elapsed":                    elapsed,
	"stream wait":                streamWait,
	"create+record+close":        createRecordClose,
	"sync empty stream":          syncEmpty,
	"two records":                twoRecords,
	"launch 0 arguments":         launch0,
	"launch 4 arguments":         launch4,
	"launch 8 arguments":         launch8,
	"graph launch 10 nodes":      graphLaunch,
	"alloc+free":                 allocFree,
	"alloc+free in stream order": allocFreeOrdered,
	"copy 4 KiB pinned":          func(r *rig) (*set, error) { return copyPinned(r, 4<<10) },
	"copy 4 KiB pageable":        func(r *rig) (*set, error) { return copyPageable(r, 4<<10) },
	"copy 1 MiB pinned":          func(r *rig) (*set, error) { return copyPinned(r, 1<<20) },
	"copy 1 MiB pageable":        func(r *rig) (*set, error) { return copyPageable(r, 1<<20) },
	"copy 64 MiB pinned":         func(r *rig) (*set, error) { return copyPinned(r, 64<<20) },
	"copy 64 MiB pageable":       func(r *rig) (*set, error) { return copyPageable(r, 64<<20) },
	"wake-up after 0.05 ms":      func(r *rig) (*set, error) { return wake(r, 50*time.Microsecond) },
	"wake-up after 0.5 ms":       func(r *rig) (*set, error) { return wake(r, 500*time.Microsecond) },
	"wake-up after 5 ms":         func(r *rig) (*set, error) { return wake(r, 5*time.Millisecond) },
}
