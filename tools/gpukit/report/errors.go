package report

import "errors"

// The kinds of what is wrong with a file that [Read] refuses.
var (
	// ErrNotReport says that a file is no report of the kit.
	ErrNotReport = errors.New("not a report of the GPU kit (gpu-kit.json)")
	// ErrNewerSchema says that a newer kit wrote the report.
	ErrNewerSchema = errors.New("the report is newer than this program: update the checkout")
	// ErrNoDevice says that a report has no device, not even the host.
	ErrNoDevice = errors.New("the report has no device: run the kit again")
	// ErrAbsurd says that a report holds what no run can have found.
	ErrAbsurd = errors.New("the report holds what no run can find")
	// ErrPrivate says that a report names a path of the machine where the kit ran.
	ErrPrivate = errors.New("the report names a path of the machine that it comes from")
)
