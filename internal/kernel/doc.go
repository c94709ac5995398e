// Package kernel runs kernels that are written as Go functions. The host device of package compute
// and the GPU simulator execute them.
//
// A kernel handles one block of threads per call. Its first parameter is the block; the rest are
// the parameters of the C kernel that it stands for, in the same order:
//
//	// __global__ void saxpy(int n, float a, const float *x, float *y)
//	func saxpy(b *kernel.Block, n int32, a float32, x, y []float32) {
//		for i := range b.Threads(int(n)) {
//			y[i] += a * x[i]
//		}
//	}
//
// Parameters are bool, int8 to int64, uint8 to uint64, float32, float64, structs and arrays of
// these, and slices of any of them. A slice stands for a pointer to device memory and reaches from
// the pointer to the end of its buffer, so that an access outside it is found. A null pointer is a
// nil slice. A generic function must be instantiated: saxpy[float32].
//
// # Barriers
//
// The function sees all threads of the block. __syncthreads therefore has no counterpart: the code
// between two barriers becomes one loop over the threads, and the next loop starts when all threads
// are done with the one before. What a thread keeps in a variable across a barrier goes into an
// array with an element per thread. Dynamic shared memory is [Shared]; a __shared__ array of fixed
// size is a local variable of the function. This sums a vector block by block:
//
//	func reduce(b *kernel.Block, n int32, x, sums []float32) {
//		part := kernel.Shared[float32](b) // one element per thread
//		clear(part)
//		first := b.First()
//		for i := range b.Threads(int(n)) {
//			part[i-first] = x[i]
//		}
//		for step := b.Size() / 2; step > 0; step /= 2 { // size: a power of two
//			for t := range step {
//				part[t] += part[t+step]
//			}
//		}
//		sums[b.Index.X] = part[0]
//	}
//
// # Blocks
//
// Blocks of a launch run on several goroutines at once, in no order, as on a GPU. Memory that more
// than one block writes needs [AtomicAdd] or sync/atomic. A kernel must not keep its block, its
// shared memory or its slices after it returns.
package kernel
