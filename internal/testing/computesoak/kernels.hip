// The kernels of the soak for hipRTC.
extern "C" __global__ void add(int n, int v, int *x) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] += v;
}

extern "C" __global__ void axpy(int n, int a, const int *x, int *y) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] += a * x[i];
}
