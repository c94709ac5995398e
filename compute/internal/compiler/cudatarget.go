package compiler

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// cudaTarget is what NVRTC compiles for.
type cudaTarget struct {
	arch string // "sm_90" or "compute_90"
	kind string // Cubin or PTX
}

// cudaArch is an architecture: real or virtual, a number, and the letter of one for that chip (a)
// or its family (f) alone.
var cudaArch = regexp.MustCompile(`^(sm|compute)_([1-9]\d{1,3})([a-z]?)$`)

// tegra are the integrated GPUs of embedded boards. They do not run the code of the others, nor the
// others theirs, even where the numbers suggest it.
var tegra = []int{53, 62, 72, 87, 88, 101, 110}

// chooseCUDA chooses what to compile for, given the numbers of the compiler's architectures; with
// an empty list nothing is known of them. Without cubins it has to be PTX.
//
// Code for a GPU (cubin) needs no compiler in the driver, and a driver may be older than the
// compiler within a CUDA major version, which PTX does not allow. Code for 8.6 runs on 8.9, not on
// 9.0. So for a GPU newer than the compiler, it is the code for the newest older GPU of the same
// major number, or else PTX for the newest older one.
func chooseCUDA(target string, archs []int, cubins bool) (cudaTarget, error) {
	m := cudaArch.FindStringSubmatch(target)
	if m == nil {
		return cudaTarget{}, fmt.Errorf("%w %q: NVIDIA's are like sm_90, or compute_90 for PTX",
			ErrTarget, target)
	}
	kind, number := m[1], atoi(m[2])
	if len(archs) == 0 || slices.Contains(archs, number) || m[3] != "" {
		if m[3] != "" && len(archs) > 0 && !slices.Contains(archs, number) {
			return cudaTarget{}, unlisted(target, archs)
		}
		if kind == "compute" || !cubins {
			return cudaTarget{"compute_" + m[2] + m[3], PTX}, nil
		}
		return cudaTarget{target, Cubin}, nil
	}
	if kind == "compute" {
		return cudaTarget{}, unlisted(target, archs)
	}
	if n := newest(archs, number, true); n > 0 && cubins && !slices.Contains(tegra, number) {
		return cudaTarget{"sm_" + strconv.Itoa(n), Cubin}, nil
	}
	if n := newest(archs, number, false); n > 0 {
		return cudaTarget{"compute_" + strconv.Itoa(n), PTX}, nil
	}
	return cudaTarget{}, unlisted(target, archs)
}

// newest is the highest number below one, if code is to run there of the same major number and no
// embedded GPU; 0 if there is none.
func newest(archs []int, below int, code bool) (best int) {
	for _, n := range archs {
		if n >= below || n <= best {
			continue
		}
		if !code || n/10 == below/10 && !slices.Contains(tegra, n) {
			best = n
		}
	}
	return best
}

func unlisted(target string, archs []int) error {
	names := make([]string, len(archs))
	for i, n := range archs {
		names[i] = strconv.Itoa(n)
	}
	return fmt.Errorf("%w %q: this compiler has the numbers %s; an older GPU needs an older one, "+
		"a newer GPU can use PTX for one of these", ErrTarget, target, strings.Join(names, ", "))
}

// atoi is the number of a few digits.
func atoi(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
