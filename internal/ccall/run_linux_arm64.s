//go:build !android

#include "textflag.h"
#include "go_asm.h"

GLOBL ·listTrampoline(SB), NOPTR|RODATA, $8
DATA ·listTrampoline(SB)/8, $list<>(SB)

// The word at 88(RSP) is where the assembler saves R29. What outlives a call lies behind the eight
// words for the stack: C keeps the stack, and the registers that it keeps are its caller's. R27,
// which the assembler takes for itself at will, is one of those: only instructions that don't need
// it may stand here.
#define STEP 64(RSP)
#define END 72(RSP)
#define FAILED 80(RSP)

// list makes the calls of a list, as runEach does. It is a C function of one argument (R0): the
// address of a listArgs. The result is 0 if no call failed.
TEXT list<>(SB), NOSPLIT, $0-0
	SUB  $96, RSP
	MOVD listArgs_first(R0), R9
	MOVD listArgs_n(R0), R10
	MOVD $Step__size, R11
	MADD R11, R9, R10, R10
	MOVD R10, END
	MOVD ZR, FAILED

next:
	MOVD END, R10
	CMP  R10, R9
	BEQ  done
	MOVD $const_Skipped, R10
	MOVD R10, Step_State(R9)

	// The guard, if there is one.
	MOVD Step_If(R9), R10
	CBZ  R10, allowed
	MOVD (R10), R10
	MOVD Step_Is(R9), R11
	CMP  R11, R10
	CSET EQ, R10
	MOVD Step_Not(R9), R11
	CMP  R11, R10
	BEQ  skip

allowed:
	MOVD FAILED, R10
	CBZ  R10, call
	MOVD Step_Always(R9), R10
	CBZ  R10, skip

call:
	MOVD R9, STEP
	MOVD Step_N(R9), R10
	CMP  $8, R10             // words in registers
	BLS  registers
	MOVD (Step_A+64)(R9), R0
	MOVD (Step_A+72)(R9), R1
	MOVD (Step_A+80)(R9), R2
	MOVD (Step_A+88)(R9), R3
	MOVD (Step_A+96)(R9), R4
	MOVD (Step_A+104)(R9), R5
	MOVD (Step_A+112)(R9), R6
	MOVD (Step_A+120)(R9), R7
	MOVD R0, 0(RSP)
	MOVD R1, 8(RSP)
	MOVD R2, 16(RSP)
	MOVD R3, 24(RSP)
	MOVD R4, 32(RSP)
	MOVD R5, 40(RSP)
	MOVD R6, 48(RSP)
	MOVD R7, 56(RSP)

registers:
	MOVD (Step_A+0)(R9), R0
	MOVD (Step_A+8)(R9), R1
	MOVD (Step_A+16)(R9), R2
	MOVD (Step_A+24)(R9), R3
	MOVD (Step_A+32)(R9), R4
	MOVD (Step_A+40)(R9), R5
	MOVD (Step_A+48)(R9), R6
	MOVD (Step_A+56)(R9), R7
	MOVD Step_Fn(R9), R10
	BL   (R10)

	MOVD STEP, R9
	MOVW R0, Step_Code(R9)
	CBNZW R0, failed
	MOVD $const_Succeeded, R10
	MOVD R10, Step_State(R9)

skip:
	ADD $Step__size, R9
	B   next

failed:
	MOVD $const_Failed, R10
	MOVD R10, Step_State(R9)
	MOVD R10, FAILED
	B    skip

done:
	MOVD FAILED, R0
	ADD  $96, RSP
	RET
