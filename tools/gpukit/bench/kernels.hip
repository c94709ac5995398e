// The kernels of the GPU kit's measurements, for hipRTC: two that do nothing, and one that lasts.
extern "C" __global__ void empty0() {}

extern "C" __global__ void empty4(float *a, float *b, int n, float x) {}

// busy lasts for a number of ticks of the device's clock. Should that stand still, it ends after 16
// million turns.
extern "C" __global__ void busy(unsigned long long ticks) {
	unsigned long long start = wall_clock64();
	for (int turn = 0; turn < 16777216; turn++)
		if (wall_clock64() - start >= ticks)
			break;
}
