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
// gpu-ns/op is the median time of an operation. The times of operations, or laps, are measured
// between events, and include all that lies between operations: if the host enqueues more slowly
// than the device works, the device waits, and gpu-ns/op is about ns/op.
//
// gpu-mean-% is the distance of the mean from the median, in per cent of the median. The mean is
// the time between an event before the first operation and one after the last, divided by the
// number of operations. A few slow operations raise the mean and leave the median as it is. Without
// laps, and with several streams, gpu-ns/op is the mean, and there is no gpu-mean-%.
//
// The timer waits for the device before it reports, and counts that wait as time of the benchmark.
// So ns/op is the time until the work was done, not until it was enqueued, and the two can be
// compared.
//
// [Timer.Lap] records more events, at first one for each operation. Whenever there are too many, a
// lap becomes twice as many operations. The benchmark logs the doubts about the laps that
// [event.Sample.Doubts] returns, and a mean that is off by more than 5 %.
package eventbench
