//go:build !android

#include "textflag.h"
#include "go_asm.h"

// The entries of the table are C functions: each says in R12 which one it is.

GLOBL ·tableStart(SB), NOPTR|RODATA, $8
DATA ·tableStart(SB)/8, $table<>(SB)

#define ENTRY(i) MOVD $(i), R12; B common<>(SB)
#define FOUR(i) ENTRY(i); ENTRY(i+1); ENTRY(i+2); ENTRY(i+3)
#define SIXTEEN(i) FOUR(i); FOUR(i+4); FOUR(i+8); FOUR(i+12)
#define SIXTYFOUR(i) SIXTEEN(i); SIXTEEN(i+16); SIXTEEN(i+32); SIXTEEN(i+48)

TEXT table<>(SB), NOSPLIT|NOFRAME, $0-0
	SIXTYFOUR(0)
	SIXTYFOUR(64)
	SIXTYFOUR(128)
	SIXTYFOUR(192)
	SIXTYFOUR(256)
	SIXTYFOUR(320)
	SIXTYFOUR(384)
	SIXTYFOUR(448)

// common builds a frame on C's stack and enters Go with it. crosscall2 is a C function, so it keeps the registers that C wants kept. R27, which
// the assembler takes for itself at will, is one of them: only instructions that don't need it may stand here.
TEXT common<>(SB), NOSPLIT|NOFRAME, $0-0
	SUB  $112, RSP
	STP  (R0, R1), (frame_args+0)(RSP)
	STP  (R2, R3), (frame_args+16)(RSP)
	STP  (R4, R5), (frame_args+32)(RSP)
	STP  (R6, R7), (frame_args+48)(RSP)
	ADD  $112, RSP, R9
	MOVD R9, (frame_stack)(RSP)
	MOVD R12, (frame_source)(RSP)
	MOVD R30, 96(RSP)
	MOVD $·dispatcher(SB), R0
	MOVD (R0), R0
	MOVD (R0), R0               // the code behind the func value
	MOVD RSP, R1
	MOVD $0, R2
	MOVD $0, R3
	BL   crosscall2(SB)
	MOVD (frame_result)(RSP), R0
	MOVD 96(RSP), R30
	ADD  $112, RSP
	RET
