//go:build !android

#include "textflag.h"
#include "go_asm.h"

// The trampolines are C functions of one argument (R0): the address of a Regs, Words or Frame. They
// run on the thread's system stack. The result stays in R0, where runtime.cgocall takes its low 32
// bits from.

GLOBL ·regsTrampoline(SB), NOPTR|RODATA, $8
DATA ·regsTrampoline(SB)/8, $regs<>(SB)
GLOBL ·wordsTrampoline(SB), NOPTR|RODATA, $8
DATA ·wordsTrampoline(SB)/8, $words<>(SB)
GLOBL ·frameTrampoline(SB), NOPTR|RODATA, $8
DATA ·frameTrampoline(SB)/8, $frame<>(SB)

// regs never comes back here: fn returns straight to the runtime.
TEXT regs<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD Regs_Fn(R0), R10
	MOVD (Regs_A+40)(R0), R5
	MOVD (Regs_A+32)(R0), R4
	MOVD (Regs_A+24)(R0), R3
	MOVD (Regs_A+16)(R0), R2
	MOVD (Regs_A+8)(R0), R1
	MOVD (Regs_A+0)(R0), R0
	JMP  (R10)

// words: eight in registers, eight on the stack. Above those lies R29 as the assembler saved it,
// which belongs to C as well.
TEXT words<>(SB), NOSPLIT, $0-0
	SUB  $80, RSP
	MOVD R0, R9
	MOVD (Words_A+64)(R9), R0
	MOVD (Words_A+72)(R9), R1
	MOVD (Words_A+80)(R9), R2
	MOVD (Words_A+88)(R9), R3
	MOVD (Words_A+96)(R9), R4
	MOVD (Words_A+104)(R9), R5
	MOVD (Words_A+112)(R9), R6
	MOVD (Words_A+120)(R9), R7
	MOVD R0, 0(RSP)
	MOVD R1, 8(RSP)
	MOVD R2, 16(RSP)
	MOVD R3, 24(RSP)
	MOVD R4, 32(RSP)
	MOVD R5, 40(RSP)
	MOVD R6, 48(RSP)
	MOVD R7, 56(RSP)
	MOVD (Words_A+0)(R9), R0
	MOVD (Words_A+8)(R9), R1
	MOVD (Words_A+16)(R9), R2
	MOVD (Words_A+24)(R9), R3
	MOVD (Words_A+32)(R9), R4
	MOVD (Words_A+40)(R9), R5
	MOVD (Words_A+48)(R9), R6
	MOVD (Words_A+56)(R9), R7
	MOVD Words_Fn(R9), R10
	BL   (R10)
	ADD  $80, RSP
	RET

#define FRAME_STACK (const_stackWords*8)
#define FRAME_SIZE (FRAME_STACK+16)

TEXT frame<>(SB), NOSPLIT, $0-0
	SUB  $FRAME_SIZE, RSP
	MOVD R0, FRAME_STACK(RSP)
	MOVD R0, R9

	MOVD Frame_nstack(R9), R1
	ADD  $Frame_stack, R9, R2
	MOVD RSP, R3

copy:
	CBZ    R1, copied
	MOVD.P 8(R2), R4
	MOVD.P R4, 8(R3)
	SUB    $1, R1
	B      copy

copied:
	FMOVD (Frame_floats+0)(R9), F0
	FMOVD (Frame_floats+8)(R9), F1
	FMOVD (Frame_floats+16)(R9), F2
	FMOVD (Frame_floats+24)(R9), F3
	FMOVD (Frame_floats+32)(R9), F4
	FMOVD (Frame_floats+40)(R9), F5
	FMOVD (Frame_floats+48)(R9), F6
	FMOVD (Frame_floats+56)(R9), F7
	MOVD  (Frame_ints+0)(R9), R0
	MOVD  (Frame_ints+8)(R9), R1
	MOVD  (Frame_ints+16)(R9), R2
	MOVD  (Frame_ints+24)(R9), R3
	MOVD  (Frame_ints+32)(R9), R4
	MOVD  (Frame_ints+40)(R9), R5
	MOVD  (Frame_ints+48)(R9), R6
	MOVD  (Frame_ints+56)(R9), R7
	MOVD  Frame_sret(R9), R8     // where a struct result in memory goes
	MOVD  Frame_fn(R9), R10
	BL    (R10)
	MOVD  FRAME_STACK(RSP), R9
	MOVD  R0, Frame_R0(R9)
	MOVD  R1, Frame_R1(R9)
	ADD   $FRAME_SIZE, RSP
	RET
