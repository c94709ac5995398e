// Package eventbench gives Go's benchmarks the time that a device takes: gpu-ns/op beside ns/op, in
// the form that benchstat reads. It works on GPUs, on simulated ones and on the host.
//
//	func BenchmarkGemm(b *testing.B) {
//		eventbench.Run(b, stream, func() error { return gemm.Launch(stream, ...) })
//	}
//
// Benchmarks with a loop of their own use a [Timer]:
//
//	func BenchmarkGemm(b *testing.B) {
//		timer := eventbench.Start(b, stream)
//		for b.Loop() { // or for range b.N
//			... // enqueue work
//			timer.Lap()
//		}
//		timer.Stop()
//	}
//
// # What is measured
//
// gpu-ns/op is the time between an event before the first operation and one behind the last,
// divided by the number of operations. It includes what lies between operations: if the host
// enqueues more slowly than the device works, the device waits, and gpu-ns/op is about ns/op.
//
// The timer waits for the device before it reports, and counts that wait as time of the benchmark.
// So ns/op is the time until the work was done, not until it was enqueued, and the two can be
// compared.
//
// [Timer.Lap] records more events, at first one for each operation, later one for many: an event
// stands for twice as many operations whenever there are too many events. The times between them
// are a sample. If it varies much, or the work is too short for the device's clock, the benchmark
// logs what [event.Sample.Doubts] returns.
package eventbench
