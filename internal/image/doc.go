// Package image says what a GPU image is, what it was built for, and which kernels and parameters
// it has, without a driver and without a GPU.
//
// [KindOf] looks at the first bytes only. [Read] parses the image once. Neither trusts the bytes:
// what they make is bounded by the size of the image (64 times, where it is compressed), and damage
// is an error, never a panic.
//
// NVIDIA does not document cubins and fatbins. What is read of them here was compared with images
// of NVRTC 11.8, 12.9 and 13.5 and of fatbinary 13.5; a record that does not add up makes a
// kernel's parameters unknown, not wrong. PTX, AMD's code objects and clang's bundles are
// documented, by NVIDIA's PTX ISA and LLVM's AMDGPUUsage and ClangOffloadBundler.
package image
