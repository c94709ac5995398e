// Package soak drives package event at random from many goroutines and holds every answer against a
// small reference model of what is allowed.
//
// # Truth
//
// The model never asks the package what is true. It knows two things by itself. A gate is a host
// function that waits for the model: whatever was enqueued behind a closed gate, on its stream or
// on one that waits for it, is certainly pending. A host function that runs shows that everything
// enqueued before it on its stream is certainly done. Between the two the model knows nothing and
// allows both answers.
//
// Calls overlap, so an answer is held against all records that may have been the event's last one
// at some moment of the call. A wrong answer is one that none of them allows.
//
// # Progress
//
// A gate opens a few milliseconds after it was made, whatever happens, and every dependency of a
// record was enqueued before it. So every record is done soon after its call, and every wait ends;
// a watchdog reports those that do not. An end that is late is told from one that never comes: the
// watchdog stops the load and waits for it longer. Late ends are findings too, unless the process
// had to wait for its processors.
//
// # Forms
//
// Plain allows no failure at all. Faults has 1 % of all driver calls fail. Kill breaks a device in
// the middle. In the last two calls may fail, but nothing hangs or leaks, and nothing that is
// pending is called done.
//
// # Real devices
//
// Form Real runs on devices that the machine has, and on the host beside them, without anything of
// the simulator's:
//
//	go test ./internal/testing/soak -run TestReal -args -soak.device=cuda:0 -soak.time=2m
//
// Gates are the same host functions: they wait for a Go channel and call no driver. A driver may
// run all its host functions on one thread, where a closed gate delays those of other streams; so
// nothing is held against a deadline that a gate elsewhere could miss, as in form OneThread, and no
// stream waits for an event of another backend by a host function. Gates open by themselves within
// milliseconds, so a full queue, in which a driver blocks its caller, empties by itself. Nothing is
// made to fail. What a driver does not count, native handles, is left to event.Stats, which has to
// be empty at the end; LeftOut has the list. tools/gpukit runs this form where there is no Go.
package soak
