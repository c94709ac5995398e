package sim

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/internal/host"
)

// code is a CUresult or hipError_t: the two share their numbers in all that is used here.
type code int32

const (
	success               code = 0
	invalidValue          code = 1
	outOfMemory           code = 2
	notInitialized        code = 3
	deinitialized         code = 4
	invalidConfiguration  code = 9
	invalidDevicePointer  code = 17
	invalidDirection      code = 21
	invalidDeviceFunction code = 98
	noDevice              code = 100
	invalidDevice         code = 101
	invalidImage          code = 200
	invalidContext        code = 201
	noBinary              code = 209
	peerUnsupported       code = 217
	invalidPTX            code = 218
	unsupportedPTX        code = 222
	fileNotFound          code = 301
	invalidHandle         code = 400
	illegalState          code = 401
	notFound              code = 500
	notReady              code = 600
	illegalAddress        code = 700
	outOfResources        code = 701
	peerEnabled           code = 704
	peerNotEnabled        code = 705
	contextIsDestroyed    code = 709
	hostRegistered        code = 712
	hostNotRegistered     code = 713
	misalignedAddress     code = 716
	launchFailed          code = 719
	cooperativeTooLarge   code = 720
	notPermitted          code = 800
	notSupported          code = 801
	captureUnsupported    code = 900
	captureInvalidated    code = 901
	captureMerge          code = 902
	captureUnmatched      code = 903
	captureUnjoined       code = 904
	captureIsolation      code = 905
	captureImplicit       code = 906
	capturedEvent         code = 907
	captureWrongThread    code = 908
	graphUpdateFailed     code = 910
	invalidClusterSize    code = 912
	errorUnknown          code = 999
)

// workError is the failure of a device or of work, as the engine carries it.
type workError code

func (e workError) Error() string { return fmt.Sprintf("simulated failure %d", int32(e)) }

var engineCodes = []struct {
	err  error
	code code
}{
	{host.ErrNotReady, notReady},
	{host.ErrClosed, invalidHandle},
	{host.ErrOtherEngine, invalidHandle},
	{host.ErrNotRecorded, invalidHandle},
	{host.ErrTimingDisabled, invalidHandle},
	{host.ErrDefaultQueue, invalidHandle},
	{errDescriptor, invalidValue},
	{errDescriptorGone, invalidHandle},
	{host.ErrNil, invalidValue},
	{host.ErrPriority, invalidValue},
}

// codeOf returns the result for an engine's error. An error without a number becomes a failed
// launch, like failed work.
func codeOf(err error) code {
	if err == nil {
		return success
	}
	var w workError
	if errors.As(err, &w) {
		return code(w)
	}
	for _, c := range engineCodes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return launchFailed
}

// asynchronous reports whether a call that returns c has done its work nevertheless: such codes
// report earlier failures.
func (c code) asynchronous() bool {
	return c >= 700 && c < 800 && !c.immediate() || c == errorUnknown
}

// immediate reports whether a code of 700 to 799 says what is wrong with the call itself.
func (c code) immediate() bool {
	switch c {
	case peerEnabled, peerNotEnabled, contextIsDestroyed, hostRegistered, hostNotRegistered:
		return true
	}
	return false
}
