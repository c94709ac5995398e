package soak

import "slices"

// opKind is something that workers do.
type opKind int32

// judgesItself reports whether an operation is many calls, each of which it judges itself.
func (k opKind) judgesItself() bool {
	switch k {
	case opCrowd, opRejoin, opHandOver, opRenew, opApart:
		return true
	}
	return false
}

// mostSteps is how many calls' patience such an operation gets.
const mostSteps = 5

const (
	opIsDone opKind = iota
	opState
	opErr
	opAttributes
	opSub
	opRecord
	opRecordNew
	opMismatch
	opWait
	opSync
	opDone
	opKept
	opOnDone
	opWaitAny
	opWaitAll
	opWaitEvent
	opWaitStream
	opStreamIsDone
	opStreamWait
	opStreamSync
	opDeviceSync
	opGate
	opMark
	opCloseEvent
	opDropEvent
	opCloseStream
	opDropStream
	opRawRecord
	opWrapEvent
	opWrapStream
	opImport
	opCapture
	opCrowd
	opRejoin
	opHandOver
	opRenew
	opApart
	opFail
	numOps
)

type op struct {
	name   string
	weight int
	do     func(*worker) bool // false if it met nothing to do it with
}

var ops [numOps]op

func init() {
	ops = [numOps]op{
		opIsDone:       {"IsDone", 160, (*worker).isDone},
		opState:        {"State", 80, (*worker).state},
		opErr:          {"Err", 40, (*worker).err},
		opAttributes:   {"attributes", 30, (*worker).attributes},
		opSub:          {"Sub", 60, (*worker).sub},
		opRecord:       {"Record", 200, (*worker).recordEvent},
		opRecordNew:    {"RecordNew", 20, (*worker).recordNew},
		opMismatch:     {"mismatch", 10, (*worker).mismatch},
		opWait:         {"Wait", 60, (*worker).wait},
		opSync:         {"Sync", 8, (*worker).sync},
		opDone:         {"Done", 60, (*worker).keepDone},
		opKept:         {"kept Done", 120, (*worker).checkKept},
		opOnDone:       {"OnDone", 50, (*worker).onDone},
		opWaitAny:      {"WaitAny", 25, (*worker).waitAny},
		opWaitAll:      {"WaitAll", 5, (*worker).waitAll},
		opWaitEvent:    {"WaitEvent", 50, (*worker).waitEvent},
		opWaitStream:   {"WaitStream", 10, (*worker).waitStream},
		opStreamIsDone: {"Stream.IsDone", 30, (*worker).streamIsDone},
		opStreamWait:   {"Stream.Wait", 8, (*worker).streamWait},
		opStreamSync:   {"Stream.Sync", 3, (*worker).streamSync},
		opDeviceSync:   {"Device.Sync", 1, (*worker).deviceSync},
		opGate:         {"gate", 20, (*worker).gate},
		opMark:         {"HostFunc", 40, (*worker).mark},
		opCloseEvent:   {"Event.Close", 40, (*worker).closeEvent},
		opDropEvent:    {"drop event", 8, (*worker).dropEvent},
		opCloseStream:  {"Stream.Close", 2, (*worker).closeStream},
		opDropStream:   {"drop stream", 1, (*worker).dropStream},
		opRawRecord:    {"raw record", 12, (*worker).rawRecord},
		opWrapEvent:    {"WrapEvent", 4, (*worker).wrapEvent},
		opWrapStream:   {"WrapStream", 6, (*worker).wrapStream},
		opImport:       {"ImportEvent", 4, (*worker).importEvent},
		opCapture:      {"capture", 6, (*worker).capture},
		opCrowd:        {"crowd", 8, (*worker).crowd},
		opRejoin:       {"rejoin", 8, (*worker).rejoin},
		opHandOver:     {"hand over", 6, (*worker).handOver},
		opRenew:        {"renew", 4, (*worker).renew},
		opApart:        {"apart", 1, (*worker).apart},
		opFail:         {"fail", 6, (*worker).fail},
	}
}

// tableWithout holds each operation as often as its weight says, but for some.
func tableWithout(names []string) (table []opKind) {
	for k, o := range ops {
		if slices.Contains(names, o.name) {
			continue
		}
		for range o.weight {
			table = append(table, opKind(k))
		}
	}
	return table
}

// String returns the name.
func (k opKind) String() string {
	if k < 0 || k >= numOps {
		return "nothing"
	}
	return ops[k].name
}
