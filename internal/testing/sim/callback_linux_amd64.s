//go:build !android

#include "textflag.h"
#include "go_asm.h"

// The entries of the table are C functions: each calls common, which knows by the return address which one it was.

GLOBL ·tableStart(SB), NOPTR|RODATA, $8
DATA ·tableStart(SB)/8, $table<>(SB)

#define FOUR CALL common<>(SB); CALL common<>(SB); CALL common<>(SB); CALL common<>(SB)
#define SIXTEEN FOUR; FOUR; FOUR; FOUR
#define SIXTYFOUR SIXTEEN; SIXTEEN; SIXTEEN; SIXTEEN

TEXT table<>(SB), NOSPLIT|NOFRAME, $0-0
	SIXTYFOUR
	SIXTYFOUR
	SIXTYFOUR
	SIXTYFOUR
	SIXTYFOUR
	SIXTYFOUR
	SIXTYFOUR
	SIXTYFOUR

// common builds a frame on C's stack and enters Go with it. crosscall2 is a C function, so it keeps the registers that C wants kept.
TEXT common<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ 0(SP), AX
	ADDQ $8, SP
	LEAQ 8(SP), R10         // behind the return address are the arguments on the stack
	SUBQ $72, SP            // the frame; this also aligns the stack to 16 bytes
	MOVQ DI, (frame_args+0)(SP)
	MOVQ SI, (frame_args+8)(SP)
	MOVQ DX, (frame_args+16)(SP)
	MOVQ CX, (frame_args+24)(SP)
	MOVQ R8, (frame_args+32)(SP)
	MOVQ R9, (frame_args+40)(SP)
	MOVQ R10, (frame_stack)(SP)
	LEAQ table<>(SB), R11
	SUBQ R11, AX
	MOVQ AX, (frame_source)(SP)
	MOVQ ·dispatcher(SB), DI
	MOVQ (DI), DI           // the code behind the func value
	MOVQ SP, SI
	XORL DX, DX
	XORL CX, CX
	CALL crosscall2(SB)
	MOVQ (frame_result)(SP), AX
	ADDQ $72, SP
	RET
