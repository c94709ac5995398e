/* Calls a C function with patterns in the registers that C functions keep for their callers. */
#include <stdint.h>

static int crooked;

int misaligned(void) { return crooked; }

/* Returns its first argument, which may make a list fail, and leaves rubbish in the registers that belong to whoever is called. */
int step(uintptr_t code, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e, uintptr_t f, uintptr_t g, uintptr_t h) {
#if defined(__x86_64__)
	if ((uintptr_t)__builtin_frame_address(0) % 16 != 0) /* the caller's stack, two words below */
		crooked++;
	__asm__ volatile("movabsq $0x0bad0bad0bad0bad, %%r11; movq %%r11, %%rcx; movq %%r11, %%rdx; movq %%r11, %%rsi; movq %%r11, %%rdi;"
	                 "movq %%r11, %%r8; movq %%r11, %%r9; movq %%r11, %%r10; movq %%r11, %%xmm0; movq %%r11, %%xmm4"
	                 ::: "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm4");
#elif defined(__aarch64__)
	uintptr_t sp;
	__asm__ volatile("mov %0, sp" : "=r"(sp));
	if (sp % 16 != 0)
		crooked++;
	__asm__ volatile("mov x9, #0x0bad; mov x10, x9; mov x11, x9; mov x12, x9; mov x13, x9; mov x14, x9; mov x15, x9; mov x16, x9; mov x17, x9;"
	                 "mov x1, x9; mov x2, x9; mov x3, x9; mov x4, x9; mov x5, x9; mov x6, x9; mov x7, x9; mov x8, x9"
	                 ::: "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17");
#endif
	return (int)code;
}

/* int lost_registers(int (*fn)(void *), void *arg); int breaker(void *) */
#if defined(__x86_64__)
#define PATTERN(reg, bit) "movabsq $0x1234567800000000+" #bit ", %" #reg "\n"
#define CHECK(reg, bit) "movabsq $0x1234567800000000+" #bit ", %rcx\n cmpq %rcx, %" #reg "\n je 1f\n orl $1<<" #bit ", %eax\n 1:\n"
#define ALL(x) x(rbx, 0) x(rbp, 1) x(r12, 2) x(r13, 3) x(r14, 4) x(r15, 5)
__asm__(".text\n .globl lost_registers\n .type lost_registers, @function\n lost_registers:\n"
        "push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n push %rsp\n"
        "movq %rdi, %rax\n movq %rsi, %rdi\n" ALL(PATTERN) "call *%rax\n xorl %eax, %eax\n" ALL(CHECK)
        "addq $8, %rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n ret\n"
        ".globl breaker\n .type breaker, @function\n breaker:\n xorl %ebx, %ebx\n xorl %r15d, %r15d\n ret\n");
#elif defined(__aarch64__)
#define PATTERN(reg, bit) "movz " #reg ", #0x1200+" #bit "\n"
#define CHECK(reg, bit) "movz x9, #0x1200+" #bit "\n cmp " #reg ", x9\n b.eq 1f\n mov x9, #1\n orr x0, x0, x9, lsl #" #bit "\n 1:\n"
#define ALL(x) x(x19, 0) x(x20, 1) x(x21, 2) x(x22, 3) x(x23, 4) x(x24, 5) x(x25, 6) x(x26, 7) x(x27, 8) x(x28, 9) x(x29, 10)
#define FPATTERN(reg, bit) "movz x9, #0x1200+" #bit "\n fmov " #reg ", x9\n"
#define FCHECK(reg, bit) "movz x9, #0x1200+" #bit "\n fmov x10, " #reg "\n cmp x9, x10\n b.eq 1f\n mov x9, #1\n orr x0, x0, x9, lsl #" #bit "\n 1:\n"
#define FALL(x) x(d8, 11) x(d9, 12) x(d10, 13) x(d11, 14) x(d12, 15) x(d13, 16) x(d14, 17) x(d15, 18)
__asm__(".text\n .globl lost_registers\n .type lost_registers, %function\n lost_registers:\n"
        "stp x29, x30, [sp, #-160]!\n stp x19, x20, [sp, #16]\n stp x21, x22, [sp, #32]\n stp x23, x24, [sp, #48]\n"
        "stp x25, x26, [sp, #64]\n stp x27, x28, [sp, #80]\n stp d8, d9, [sp, #96]\n stp d10, d11, [sp, #112]\n"
        "stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n"
        "mov x16, x0\n mov x0, x1\n" ALL(PATTERN) FALL(FPATTERN) "blr x16\n mov x0, #0\n" ALL(CHECK) FALL(FCHECK)
        "ldp x19, x20, [sp, #16]\n ldp x21, x22, [sp, #32]\n ldp x23, x24, [sp, #48]\n ldp x25, x26, [sp, #64]\n"
        "ldp x27, x28, [sp, #80]\n ldp d8, d9, [sp, #96]\n ldp d10, d11, [sp, #112]\n ldp d12, d13, [sp, #128]\n"
        "ldp d14, d15, [sp, #144]\n ldp x29, x30, [sp], #160\n ret\n"
        ".globl breaker\n .type breaker, %function\n breaker:\n mov x27, #0\n fmov d8, xzr\n ret\n");
#endif
