//go:build !android

#include "textflag.h"
#include "go_asm.h"

GLOBL ·listTrampoline(SB), NOPTR|RODATA, $8
DATA ·listTrampoline(SB)/8, $list<>(SB)

// What outlives a call is stored after the ten words for the stack: C keeps the stack, and the
// registers that it keeps are its caller's.
#define STEP 80(SP)
#define END 88(SP)
#define FAILED 96(SP)

// list makes the calls of a list, as runEach does. It is a C function of one argument (DI): the
// address of a listArgs. The result is 0 if no call failed.
TEXT list<>(SB), NOSPLIT, $112-0
	MOVQ  listArgs_first(DI), R11
	MOVQ  listArgs_n(DI), CX
	IMULQ $Step__size, CX
	ADDQ  R11, CX
	MOVQ  CX, END
	MOVL  $0, FAILED

next:
	CMPQ R11, END
	JEQ  done
	MOVQ $const_Skipped, Step_State(R11)

	// The guard, if there is one.
	MOVQ  Step_If(R11), CX
	TESTQ CX, CX
	JEQ   allowed
	MOVQ  (CX), CX
	XORL  AX, AX
	CMPQ  CX, Step_Is(R11)
	SETEQ AX
	CMPQ  AX, Step_Not(R11)
	JEQ   skip

allowed:
	CMPL FAILED, $0
	JEQ  call
	CMPQ Step_Always(R11), $0
	JEQ  skip

call:
	MOVQ   R11, STEP
	CMPQ   Step_N(R11), $const_MaxRegs
	JLS    registers
	MOVUPS (Step_A+48)(R11), X0
	MOVUPS (Step_A+64)(R11), X1
	MOVUPS (Step_A+80)(R11), X2
	MOVUPS (Step_A+96)(R11), X3
	MOVUPS (Step_A+112)(R11), X4
	MOVUPS X0, 0(SP)
	MOVUPS X1, 16(SP)
	MOVUPS X2, 32(SP)
	MOVUPS X3, 48(SP)
	MOVUPS X4, 64(SP)

registers:
	MOVQ (Step_A+0)(R11), DI
	MOVQ (Step_A+8)(R11), SI
	MOVQ (Step_A+16)(R11), DX
	MOVQ (Step_A+24)(R11), CX
	MOVQ (Step_A+32)(R11), R8
	MOVQ (Step_A+40)(R11), R9
	MOVQ Step_Fn(R11), R11
	XORL AX, AX               // no vector registers in use, should it be variadic
	CALL R11

	MOVQ  STEP, R11
	MOVL  AX, Step_Code(R11)
	TESTL AX, AX
	JNE   failed
	MOVQ  $const_Succeeded, Step_State(R11)

skip:
	ADDQ $Step__size, R11
	JMP  next

failed:
	MOVQ $const_Failed, Step_State(R11)
	MOVL $1, FAILED
	JMP  skip

done:
	MOVL FAILED, AX
	RET
