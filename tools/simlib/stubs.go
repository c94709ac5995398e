package main

import (
	"bytes"
	"fmt"
	"strings"
)

// stub is assembly for an architecture.
type stub struct {
	machine string // as C compilers call it
	// each is an exported function: on a thread that is known it jumps to what the table has for it,
	// otherwise, with its number in a scratch register, to slow. NAME and NUMBER stand for those of
	// the function.
	each string
	// slow asks for the address of a function, with all that C passed in registers kept, and jumps
	// there.
	slow string
}

// stubs are the architectures for which libraries can be built. No function of either API that is
// simulated takes floating-point numbers, so their registers are not kept.
var stubs = map[string]stub{
	"amd64": {"x86_64", `
	.globl NAME
	.type NAME, @function
	.p2align 4
NAME:
	endbr64
	movq simlib_known@gottpoff(%rip), %rax
	cmpb $0, %fs:(%rax)
	je 1f
	movq simlib_targets+8*NUMBER(%rip), %r11
	testq %r11, %r11
	je 1f
	jmp *%r11
1:	movl $NUMBER, %eax
	jmp simlib_slow
	.size NAME, .-NAME
`, `
	.p2align 4
simlib_slow:
	pushq %rdi
	pushq %rsi
	pushq %rdx
	pushq %rcx
	pushq %r8
	pushq %r9
	subq $8, %rsp
	movl %eax, %edi
	call simlib_resolve
	addq $8, %rsp
	popq %r9
	popq %r8
	popq %rcx
	popq %rdx
	popq %rsi
	popq %rdi
	jmp *%rax
`},
	"arm64": {"aarch64", `
	.globl NAME
	.type NAME, %function
	.p2align 4
NAME:
	hint #34
	mrs x16, tpidr_el0
	adrp x17, :gottprel:simlib_known
	ldr x17, [x17, :gottprel_lo12:simlib_known]
	ldrb w16, [x16, x17]
	cbz w16, 1f
	adrp x16, simlib_targets+8*NUMBER
	ldr x16, [x16, :lo12:simlib_targets+8*NUMBER]
	cbz x16, 1f
	br x16
1:	mov w16, #NUMBER
	b simlib_slow
	.size NAME, .-NAME
`, `
	.p2align 4
simlib_slow:
	stp x29, x30, [sp, #-96]!
	mov x29, sp
	stp x0, x1, [sp, #16]
	stp x2, x3, [sp, #32]
	stp x4, x5, [sp, #48]
	stp x6, x7, [sp, #64]
	str x8, [sp, #80]
	mov w0, w16
	bl simlib_resolve
	mov x16, x0
	ldp x0, x1, [sp, #16]
	ldp x2, x3, [sp, #32]
	ldp x4, x5, [sp, #48]
	ldp x6, x7, [sp, #64]
	ldr x8, [sp, #80]
	ldp x29, x30, [sp], #96
	br x16
`},
}

// stubTexts returns the assembly of all exported functions. Those that C implements itself are not
// among them.
func stubTexts(symbols []symbol, s stub) []byte {
	b := bytes.NewBufferString("\t.text\n\t.hidden simlib_targets\n\t.hidden simlib_resolve\n" +
		"\t.hidden simlib_known\n")
	b.WriteString(s.slow)
	for i, f := range symbols {
		if !inC[f.Name] {
			b.WriteString(strings.NewReplacer("NAME", f.Name, "NUMBER", fmt.Sprint(i)).Replace(s.each))
		}
	}
	b.WriteString("\t.section .note.GNU-stack,\"\",%progbits\n")
	return b.Bytes()
}
