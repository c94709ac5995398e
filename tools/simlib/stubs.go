package main

import (
	"bytes"
	"fmt"
	"strings"
)

// stub is assembly for an architecture.
type stub struct {
	machine string // as C compilers call it
	// each is an exported function. It jumps to shared with its number in a scratch register. NAME and
	// NUMBER stand for those of the function.
	each string
	// shared calls simlib_resolve for the address of a function, with all that C passed in registers
	// kept, and jumps there.
	shared string
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
	movl $NUMBER, %eax
	jmp simlib_shared
	.size NAME, .-NAME
`, `
	.p2align 4
simlib_shared:
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
	mov w16, #NUMBER
	b simlib_shared
	.size NAME, .-NAME
`, `
	.p2align 4
simlib_shared:
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
	b := bytes.NewBufferString("\t.text\n\t.hidden simlib_resolve\n")
	b.WriteString(s.shared)
	for i, f := range symbols {
		if !inC[f.Name] {
			b.WriteString(strings.NewReplacer("NAME", f.Name, "NUMBER", fmt.Sprint(i)).Replace(s.each))
		}
	}
	b.WriteString("\t.section .note.GNU-stack,\"\",%progbits\n")
	return b.Bytes()
}
