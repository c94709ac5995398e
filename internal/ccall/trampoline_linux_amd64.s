//go:build !android

#include "textflag.h"
#include "go_asm.h"

// The trampolines are C functions of one argument (DI): the address of a Regs, Words or Frame. They
// run on the thread's system stack. The result stays in AX, where runtime.cgocall takes its low 32
// bits from.

GLOBL ·regsTrampoline(SB), NOPTR|RODATA, $8
DATA ·regsTrampoline(SB)/8, $regs<>(SB)
GLOBL ·wordsTrampoline(SB), NOPTR|RODATA, $8
DATA ·wordsTrampoline(SB)/8, $words<>(SB)
GLOBL ·frameTrampoline(SB), NOPTR|RODATA, $8
DATA ·frameTrampoline(SB)/8, $frame<>(SB)

// regs never comes back here: fn returns straight to the runtime.
TEXT regs<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ DI, R11
	MOVQ (Regs_A+0)(R11), DI
	MOVQ (Regs_A+8)(R11), SI
	MOVQ (Regs_A+16)(R11), DX
	MOVQ (Regs_A+24)(R11), CX
	MOVQ (Regs_A+32)(R11), R8
	MOVQ (Regs_A+40)(R11), R9
	MOVQ Regs_Fn(R11), R11
	XORL AX, AX               // no vector registers in use, should fn be variadic
	JMP  R11

// words: six in registers, ten on the stack.
TEXT words<>(SB), NOSPLIT, $80-0
	MOVQ   DI, R11
	MOVUPS (Words_A+48)(R11), X0
	MOVUPS (Words_A+64)(R11), X1
	MOVUPS (Words_A+80)(R11), X2
	MOVUPS (Words_A+96)(R11), X3
	MOVUPS (Words_A+112)(R11), X4
	MOVUPS X0, 0(SP)
	MOVUPS X1, 16(SP)
	MOVUPS X2, 32(SP)
	MOVUPS X3, 48(SP)
	MOVUPS X4, 64(SP)
	MOVQ   (Words_A+0)(R11), DI
	MOVQ   (Words_A+8)(R11), SI
	MOVQ   (Words_A+16)(R11), DX
	MOVQ   (Words_A+24)(R11), CX
	MOVQ   (Words_A+32)(R11), R8
	MOVQ   (Words_A+40)(R11), R9
	MOVQ   Words_Fn(R11), R11
	XORL   AX, AX
	CALL   R11
	RET

// stackWords*8; the assembler wants the frame's size as a number.
#define FRAME_STACK 384

TEXT frame<>(SB), NOSPLIT, $400-0
	MOVQ DI, FRAME_STACK(SP)
	MOVQ DI, R11

	MOVQ Frame_nstack(R11), CX
	XORL AX, AX

copy:
	CMPQ AX, CX
	JGE  copied
	MOVQ Frame_stack(R11)(AX*8), R10
	MOVQ R10, 0(SP)(AX*8)
	INCQ AX
	JMP  copy

copied:
	MOVQ (Frame_floats+0)(R11), X0
	MOVQ (Frame_floats+8)(R11), X1
	MOVQ (Frame_floats+16)(R11), X2
	MOVQ (Frame_floats+24)(R11), X3
	MOVQ (Frame_floats+32)(R11), X4
	MOVQ (Frame_floats+40)(R11), X5
	MOVQ (Frame_floats+48)(R11), X6
	MOVQ (Frame_floats+56)(R11), X7
	MOVQ (Frame_ints+0)(R11), DI
	MOVQ (Frame_ints+8)(R11), SI
	MOVQ (Frame_ints+16)(R11), DX
	MOVQ (Frame_ints+24)(R11), CX
	MOVQ (Frame_ints+32)(R11), R8
	MOVQ (Frame_ints+40)(R11), R9
	MOVQ Frame_fn(R11), R11
	MOVL $8, AX                 // vector registers in use, should fn be variadic
	CALL R11
	MOVQ FRAME_STACK(SP), R11
	MOVQ AX, Frame_R0(R11)
	MOVQ DX, Frame_R1(R11)
	RET
