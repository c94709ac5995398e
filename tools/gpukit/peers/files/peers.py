"""The operations of the GPU kit in Python: by cuda.core, torch and cupy, whichever are installed.

    python3 peers.py -device cuda:0 -kernels kernels.ptx -out peers.json -time 120

It exits with 0, with 1 if an operation failed or gave a wrong result, and with 3 if none of the
packages can use the device. The reason is the last line of stderr. What a package has no means for
is left out, and named on stdout. Operations and counts are those of the plan that Go and C follow.

A run is a loop of n calls between two readings of the monotonic clock, with the collector of
garbage off, as the module timeit has it. Packages take turns: a round has one run of each.
"""

import argparse
import ctypes
import faulthandler
import gc
import json
import os
import re
import sys
import time

# Nothing is to stay on the machine: caches of compiled kernels are left out.
os.environ.setdefault("CUDA_CACHE_DISABLE", "1")
os.environ.setdefault("CUPY_CACHE_IN_MEMORY", "1")
sys.dont_write_bytecode = True

FINE, FAILED, NOT_POSSIBLE = 0, 1, 3

PLAN = [  # name, operations of a run, runs
    ("record", 200, 31),
    ("query done", 1000, 31),
    ("query pending", 200, 15),
    ("elapsed", 1000, 31),
    ("stream wait", 200, 15),
    ("create+record+close", 100, 31),
    ("sync empty stream", 200, 31),
    ("two records", 100, 31),
    ("launch 0 arguments", 200, 31),
    ("launch 4 arguments", 200, 31),
    ("launch 8 arguments", 200, 31),
    ("graph launch 10 nodes", 40, 31),
    ("alloc+free", 20, 31),
    ("alloc+free in stream order", 50, 31),
    ("copy 4 KiB pinned", 50, 31),
    ("copy 4 KiB pageable", 50, 31),
    ("copy 1 MiB pinned", 5, 31),
    ("copy 1 MiB pageable", 5, 31),
    ("copy 64 MiB pinned", 1, 15),
    ("copy 64 MiB pageable", 1, 15),
    ("wake-up after 0.05 ms", 1, 300),
    ("wake-up after 0.5 ms", 1, 200),
    ("wake-up after 5 ms", 1, 60),
]
FEWEST = 3
ALLOC_BYTES = 1 << 20
HOLDS = (20e6, 40e6, 80e6, 160e6)  # how long what is pending stays so, in nanoseconds


class Missing(Exception):
    """The package can't be used, or has no means for an operation."""


def unsupported(e):
    """Reports whether a driver has refused an operation since it lacks it."""
    return "NOT_SUPPORTED" in str(e) or "hipErrorNotSupported" in str(e)


class Wrong(Exception):
    """A result is wrong."""


class Outlasted(Exception):
    """What was to be pending is done: the run took longer than the work before it."""


class Run:
    """How to make runs of an operation in one way."""

    def __init__(self, loop, before=None, after=None, warm=5, note="", size=0):
        self.loop = loop  # makes n operations, or returns the time that it measured itself
        self.before = before
        self.after = after
        self.warm = warm
        self.note = note
        self.size = size  # bytes that an operation copies, one way


def repeat(call, *args):
    """A loop of a call with the same arguments."""

    def loop(n):
        for _ in range(n):
            call(*args)

    return loop


class Way:
    """What the packages have in common. A subclass has streams, events and kernels of one."""

    name = ""
    hold = HOLDS[0]
    per_ns = 1.0  # ticks of the kernel that lasts, in a nanosecond

    def drain(self):
        self.sync_stream(self.stream)
        self.sync_stream(self.second)

    def calibrate(self):
        ticks = 1_000_000
        start, end = self.event(True), self.event(True)
        for _ in range(2):  # the first run may load the code
            self.record(start, self.stream)
            self.busy(ticks)
            self.record(end, self.stream)
            self.drain()
        took = self.elapsed(start, end)
        if not 1e5 < took < 1e9:
            raise Missing(f"{ticks} ticks of its kernel took {took / 1e6} ms")
        self.per_ns = ticks / took

    def busy_for(self, ns):
        if self.no_kernel:
            raise Missing(self.no_kernel)
        self.busy(int(ns * self.per_ns))

    def pending(self, event):
        """Puts a record behind work that lasts."""
        self.busy_for(self.hold)
        self.record(event, self.stream)

    def must_pend(self, event):
        done = self.query(event)
        self.drain()
        if done:
            raise Outlasted

    def operation(self, name):
        """The runs of an operation; Missing if there is no way."""
        if name.startswith("wake-up after "):
            return self.wake(float(name.split()[2]) * 1e6)
        if name.startswith("copy "):
            _, count, unit, kind = name.split()
            size = int(count) << {"KiB": 10, "MiB": 20}[unit]
            return self.copy(size, kind == "pinned")
        if name.startswith("launch "):
            return self.launches(int(name.split()[1]))
        return getattr(self, "do_" + re.sub(r"\W+", "_", name))()

    def do_record(self):
        e = self.event(False)

        def after():
            self.drain()
            if not self.query(e):
                raise Wrong("an event is not done behind a synchronize")

        return Run(self.loop_record(e), after=after)

    def do_query_done(self):
        e = self.event(False)

        def before():
            self.record(e, self.stream)
            self.drain()

        def loop(n):
            query = self.query
            for _ in range(n):
                if not query(e):
                    raise Wrong("an event is not done behind a synchronize")

        return Run(loop, before)

    def do_query_pending(self):
        e = self.event(False)

        def loop(n):
            query = self.query
            for _ in range(n):
                if query(e):
                    self.drain()
                    raise Outlasted

        return Run(loop, lambda: self.pending(e), self.drain)

    def do_elapsed(self):
        start, end = self.event(True), self.event(True)

        def before():
            self.record(start, self.stream)
            self.record(end, self.stream)
            self.drain()

        def loop(n):
            elapsed = self.elapsed
            for _ in range(n):
                if not -1e4 < elapsed(start, end) < 1e9:
                    raise Wrong("an elapsed time that can't be")

        return Run(loop, before)

    def do_stream_wait(self):
        e = self.event(False)
        return Run(self.loop_wait(e), lambda: self.pending(e), lambda: self.must_pend(e))

    def do_create_record_close(self):
        return Run(repeat(self.create_record_close), after=self.drain)

    def do_sync_empty_stream(self):
        return Run(repeat(self.sync_stream, self.stream), self.drain)

    def do_two_records(self):
        first, last = self.event(True), self.event(True)

        def loop(n):
            record, stream = self.record, self.stream
            for _ in range(n):
                record(first, stream)
                record(last, stream)

        return Run(loop, after=self.drain)

    def do_alloc_free(self):
        raise Missing("it allocates in stream order or from its own pool")

    def wake(self, ns):
        start, end = self.event(True), self.event(True)
        self.busy_for(ns)

        def sample(_):
            began = time.perf_counter_ns()
            self.record(start, self.stream)
            self.busy_for(ns)
            self.record(end, self.stream)
            self.sync_event(end)
            took = time.perf_counter_ns() - began
            return took - self.elapsed(start, end)

        return Run(sample, self.drain, warm=0, note="synchronize")


class CudaCore(Way):
    name = "cuda-core"
    no_kernel = ""

    def __init__(self, device, kernels):
        if not device.startswith("cuda:"):
            raise Missing("it has NVIDIA's devices only")
        try:
            import cuda.core as core

            core.Device  # older releases have an empty cuda.core
        except (ImportError, AttributeError):
            import cuda.core.experimental as core
        self.core = core
        self.version = getattr(core, "__version__", "of an older release")
        self.device = core.Device(int(device.split(":")[1]))
        self.device.set_current()
        self.stream = self.device.create_stream()
        self.second = self.device.create_stream()
        with open(kernels, encoding="ascii") as f:
            code = core.ObjectCode.from_ptx(f.read().encode() + b"\0")
        self.kernel = {n: code.get_kernel(n) for n in ("busy", "empty0", "empty4", "empty8")}
        self.shape = core.LaunchConfig(grid=1, block=1)
        options = core.EventOptions
        self.timing = "timing_enabled" if hasattr(options, "timing_enabled") else "enable_timing"
        self.calibrate()

    def event(self, timed):
        return self.device.create_event({self.timing: timed})

    def record(self, event, stream):
        stream.record(event)

    def loop_record(self, e):
        return repeat(self.stream.record, e)

    def loop_wait(self, e):
        return repeat(self.second.wait, e)

    def query(self, e):
        return e.is_done

    def sync_event(self, e):
        e.sync()

    def sync_stream(self, stream):
        stream.sync()

    def elapsed(self, start, end):
        return (end - start) * 1e6

    def create_record_close(self):
        self.stream.record().close()

    def busy(self, ticks):
        launch = self.core.launch
        launch(self.stream, self.shape, self.kernel["busy"], ctypes.c_uint64(ticks))

    def launches(self, arguments):
        launch, shape, stream = self.core.launch, self.shape, self.stream
        kernel = self.kernel[f"empty{arguments}"]
        buffers = [self.device.allocate(64, stream=stream) for _ in range(arguments // 2)]
        count, more = ctypes.c_int32(1000), ctypes.c_int32(7)
        factor, shift = ctypes.c_float(2.5), ctypes.c_float(-1)
        numbers = {0: [], 4: [count, factor], 8: [count, more, factor, shift]}[arguments]
        return Run(repeat(launch, stream, shape, kernel, *buffers, *numbers), after=self.drain)

    def do_graph_launch_10_nodes(self):
        if not hasattr(self.device, "create_graph_builder"):
            raise Missing("this release has no graphs")
        builder = self.device.create_graph_builder().begin_building()
        for _ in range(10):
            self.core.launch(builder, self.shape, self.kernel["empty0"])
        graph = builder.end_building().complete()
        return Run(repeat(graph.launch, self.stream), after=self.drain)

    def do_alloc_free_in_stream_order(self):
        allocate, stream = self.device.allocate, self.stream

        def loop(n):
            for _ in range(n):
                allocate(ALLOC_BYTES, stream=stream).close(stream)

        return Run(loop, self.drain, self.drain)

    def copy(self, size, pinned):
        if not pinned:
            raise Missing("it copies between its own buffers only")
        core, stream = self.core, self.stream
        if not hasattr(core, "LegacyPinnedMemoryResource"):
            raise Missing("this release has no pinned memory")
        resource = core.LegacyPinnedMemoryResource()
        there, back = (resource.allocate(size, stream=stream) for _ in range(2))
        memory = self.device.allocate(size, stream=stream)
        data = [(ctypes.c_ubyte * size).from_address(int(b.handle)) for b in (there, back)]

        def loop(n):
            for _ in range(n):
                memory.copy_from(there, stream=stream)
                memory.copy_to(back, stream=stream)
                stream.sync()

        return Run(loop, lambda: fill(*data), lambda: check(*data), warm=1, size=size)


class Torch(Way):
    name = "torch"
    no_kernel = ""

    def __init__(self, device, kernels):
        import torch

        self.torch = torch
        self.version = torch.__version__
        if device.startswith("hip:") != bool(torch.version.hip):
            raise Missing("it is built for the other vendor")
        if not torch.cuda.is_available():
            raise Missing("it finds no device")
        number = int(device.split(":")[1])
        if number >= torch.cuda.device_count():
            raise Missing(f"it finds {torch.cuda.device_count()} devices")
        torch.cuda.set_device(number)
        self.device = torch.device("cuda", number)
        self.stream, self.second = torch.cuda.Stream(), torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)
        try:
            self.calibrate()
        except (Missing, AttributeError) as reason:  # it lasts by a function that is its own
            self.no_kernel = f"no kernel that lasts: {reason}"

    def event(self, timed):
        return self.torch.cuda.Event(enable_timing=timed)

    def record(self, event, stream):
        event.record(stream)

    def loop_record(self, e):
        return repeat(e.record, self.stream)

    def loop_wait(self, e):
        return repeat(self.second.wait_event, e)

    def query(self, e):
        return e.query()

    def sync_event(self, e):
        e.synchronize()

    def sync_stream(self, stream):
        stream.synchronize()

    def elapsed(self, start, end):
        return start.elapsed_time(end) * 1e6

    def create_record_close(self):
        self.torch.cuda.Event().record(self.stream)

    def busy(self, ticks):
        self.torch.cuda._sleep(ticks)

    def launches(self, arguments):
        raise Missing("it launches no kernels of others")

    def do_graph_launch_10_nodes(self):
        if self.no_kernel:
            raise Missing(self.no_kernel)
        torch = self.torch
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=self.stream):
            for _ in range(10):
                self.busy(1)
        return Run(repeat(graph.replay), after=self.drain, note="nodes are its kernel that lasts")

    def do_alloc_free_in_stream_order(self):
        empty, device, kind = self.torch.empty, self.device, self.torch.uint8

        def loop(n):
            for _ in range(n):
                empty(ALLOC_BYTES, device=device, dtype=kind)

        return Run(loop, self.drain, self.drain, note="from its own cache")

    def copy(self, size, pinned):
        torch, stream = self.torch, self.stream
        there, back = (
            torch.zeros(size, dtype=torch.uint8, pin_memory=pinned) for _ in range(2)
        )
        memory = torch.empty(size, dtype=torch.uint8, device=self.device)
        data = [(ctypes.c_ubyte * size).from_address(t.data_ptr()) for t in (there, back)]

        def loop(n):
            for _ in range(n):
                memory.copy_(there, non_blocking=True)
                back.copy_(memory, non_blocking=True)
                stream.synchronize()

        return Run(loop, lambda: fill(*data), lambda: check(*data), warm=1, size=size)


class CuPy(Way):
    name = "cupy"
    no_kernel = ""

    def __init__(self, device, kernels):
        import cupy

        self.cupy = cupy
        self.version = cupy.__version__
        amd = bool(cupy.cuda.runtime.is_hip)
        if device.startswith("hip:") != amd:
            raise Missing("it is built for the other vendor")
        number, count = int(device.split(":")[1]), cupy.cuda.runtime.getDeviceCount()
        if number >= count:
            raise Missing(f"it finds {count} devices")
        cupy.cuda.Device(number).use()
        self.stream = cupy.cuda.Stream(non_blocking=True)
        self.second = cupy.cuda.Stream(non_blocking=True)
        self.stream.use()  # kernels are launched on the current one
        if amd:
            with open(kernels, encoding="ascii") as f:
                module = cupy.RawModule(code=f.read(), backend="nvrtc")
        else:
            module = cupy.RawModule(path=kernels)
        self.kernel = {n: module.get_function(n) for n in ("busy", "empty0", "empty4", "empty8")}
        self.calibrate()

    def event(self, timed):
        return self.cupy.cuda.Event(disable_timing=not timed)

    def record(self, event, stream):
        event.record(stream)

    def loop_record(self, e):
        return repeat(e.record, self.stream)

    def loop_wait(self, e):
        return repeat(self.second.wait_event, e)

    def query(self, e):
        return e.done

    def sync_event(self, e):
        e.synchronize()

    def sync_stream(self, stream):
        stream.synchronize()

    def elapsed(self, start, end):
        return self.cupy.cuda.get_elapsed_time(start, end) * 1e6

    def create_record_close(self):
        self.cupy.cuda.Event(disable_timing=True).record(self.stream)

    def busy(self, ticks):
        import numpy

        self.kernel["busy"]((1,), (1,), (numpy.uint64(ticks),))

    def launches(self, arguments):
        import numpy

        kernel, cupy = self.kernel[f"empty{arguments}"], self.cupy
        buffers = [cupy.empty(16, dtype=numpy.float32) for _ in range(arguments // 2)]
        count, more = numpy.int32(1000), numpy.int32(7)
        factor, shift = numpy.float32(2.5), numpy.float32(-1)
        numbers = {0: [], 4: [count, factor], 8: [count, more, factor, shift]}[arguments]
        return Run(repeat(kernel, (1,), (1,), (*buffers, *numbers)), after=self.drain)

    def do_graph_launch_10_nodes(self):
        stream = self.stream
        if not hasattr(stream, "begin_capture"):
            raise Missing("this release has no graphs")
        stream.begin_capture()
        for _ in range(10):
            self.kernel["empty0"]((1,), (1,), ())
        graph = stream.end_capture()
        return Run(repeat(graph.launch, stream), after=self.drain)

    def do_alloc_free(self):
        memory = self.cupy.cuda.memory.Memory  # beside the pool
        return Run(repeat(memory, ALLOC_BYTES), self.drain)

    def do_alloc_free_in_stream_order(self):
        cuda = self.cupy.cuda
        if not hasattr(cuda, "malloc_async"):
            raise Missing("this release has no such allocations")
        return Run(repeat(cuda.malloc_async, ALLOC_BYTES), self.drain, self.drain)

    def copy(self, size, pinned):
        cuda, stream = self.cupy.cuda, self.stream
        memory = cuda.alloc(size)
        if pinned:
            kept = [cuda.alloc_pinned_memory(size) for _ in range(2)]
            data = [(ctypes.c_ubyte * size).from_address(int(p.ptr)) for p in kept]
        else:
            kept = data = [(ctypes.c_ubyte * size)() for _ in range(2)]
        there, back = (ctypes.c_void_p(ctypes.addressof(d)) for d in data)

        def in_stream(n):
            for _ in range(n):
                memory.copy_from_host_async(there, size, stream)
                memory.copy_to_host_async(back, size, stream)
                stream.synchronize()

        def at_once(n):  # asynchronous copies are for pinned memory
            for _ in range(n):
                memory.copy_from_host(there, size)
                memory.copy_to_host(back, size)

        run = Run(in_stream if pinned else at_once, lambda: fill(*data), lambda: check(*data),
                  warm=1, size=size)
        run.kept = kept
        return run


WAYS = {way.name: way for way in (CudaCore, Torch, CuPy)}
seed = 0


def fill(there, back):
    """Puts bytes into memory that differ by run."""
    global seed
    seed += 1
    size = len(there)
    block = bytes((seed * 31 + i * 7) & 255 for i in range(256)) * (size // 256)
    ctypes.memmove(there, block, size)
    ctypes.memset(back, 0, size)


def check(there, back):
    if memoryview(there).cast("B") != memoryview(back).cast("B"):
        raise Wrong("what was copied there and back is not the same")


class Series:
    """The runs of an operation in one way."""

    def __init__(self, way, run):
        self.way, self.run = way, run
        self.wall, self.cpu = [], []

    def once(self, n):
        for self.way.hold in HOLDS:
            try:
                self.measure(n)
                return
            except Outlasted:
                pass
        raise Wrong("what was to be pending was done too early, four times")

    def measure(self, n):
        run = self.run
        if run.before:
            run.before()
        if run.warm:
            run.loop(run.warm)
        gc.disable()
        cpu, began = time.process_time_ns(), time.perf_counter_ns()
        took = run.loop(n)
        ended = time.perf_counter_ns()
        cpu = time.process_time_ns() - cpu
        gc.enable()
        if run.after:
            run.after()
        self.wall.append((ended - began if took is None else took) / n)
        self.cpu.append(cpu / n)

    def figure(self, device, operation, n):
        wall = sorted(self.wall)
        median = wall[len(wall) // 2]
        f = {
            "device": device,
            "operation": operation,
            "way": self.way.name,
            "median_ns": median,
            "best_ns": wall[0],
            "cpu_ns": sorted(self.cpu)[len(wall) // 2],
            "runs": len(wall),
            "per_run": n,
        }
        if len(wall) >= 50:
            f["p99_ns"] = wall[int(0.99 * len(wall))]
        if self.run.size and median > 0:
            f["note"] = f"{2 * self.run.size / median:.2f} GB/s, both directions"
        elif self.run.note:
            f["note"] = self.run.note
        return f


def seconds(text):
    """A time as Go writes it: 90s, 1m30s; a number alone is seconds."""
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|h|m|s)", text)
    if not parts or "".join(n + u for n, u in parts) != text:
        raise argparse.ArgumentTypeError(f"{text} is no time")
    return sum(float(n) * {"h": 3600, "m": 60, "s": 1, "ms": 0.001}[u] for n, u in parts)


class Bench:
    """One run of the program."""

    def __init__(self, flags):
        self.flags = flags
        self.figures = []
        self.failures = []
        self.end = time.monotonic() + flags.time

    def open(self):
        """The packages that can use the device, and why others can't."""
        ways, reasons = [], []
        for name, make in WAYS.items():
            try:
                ways.append(make(self.flags.device, self.flags.kernels))
                print(f"{name} {ways[-1].version}")
            except Exception as e:  # packages fail in many ways where there is no GPU
                reasons.append(f"{name}: {first_line(e)}")
                print(f"left out on {self.flags.device}: {reasons[-1]}")
        return ways, reasons

    def measure(self, ways, name, n, runs, most):
        """Makes the runs of an operation in all ways that have it, for at most some seconds."""
        all_series = []
        for way in ways:
            try:
                all_series.append(Series(way, way.operation(name)))
            except Exception as e:
                self.ended(way, name, e)
        stop = time.monotonic() + most
        for i in range(runs):
            if i >= FEWEST and time.monotonic() > stop:
                break
            for s in list(all_series):
                try:
                    s.once(n)
                except Exception as e:
                    self.ended(s.way, name, e)
                    all_series.remove(s)
        for s in all_series:
            f = s.figure(self.flags.device, name, n)
            self.figures.append(f)
            print(f"{f['device']:8} {name:28} {f['way']:10} {f['median_ns']:12.1f} ns, "
                  f"best {f['best_ns']:12.1f}, {f['runs']} x {n}")

    def ended(self, way, name, e):
        """Notes why a way has no figure for an operation."""
        if isinstance(e, Missing) or unsupported(e):
            print(f"left out on {self.flags.device}: {name}, {way.name}: {first_line(e)}")
            return
        self.failures.append(f"{name}, {way.name}: {type(e).__name__}: {first_line(e)}")
        print(f"failed on {self.flags.device}: {self.failures[-1]}")

    def write(self):
        if not self.flags.out:
            return
        part = self.flags.out + ".part"
        with open(part, "w", encoding="utf-8") as f:
            json.dump(self.figures, f, indent="\t")
            f.write("\n")
        os.replace(part, self.flags.out)

    def main(self):
        ways, reasons = self.open()
        if not ways:
            print("peers: " + "; ".join(reasons), file=sys.stderr)
            return NOT_POSSIBLE
        plan = [p for p in PLAN if re.search(self.flags.only, p[0])]
        for i, (name, n, runs) in enumerate(plan):
            if self.flags.runs:
                runs = min(runs, self.flags.runs)
            left = self.end - time.monotonic()
            if left <= 0:
                print(f"left out on {self.flags.device}: {name}: no time is left")
                continue
            self.measure(ways, name, n, runs, left / (len(plan) - i))
            self.write()
        if self.failures:
            print("peers: " + "; ".join(self.failures), file=sys.stderr)
            return FAILED
        return FINE


def first_line(e):
    return (str(e).strip() or type(e).__name__).splitlines()[0][:300]


def main():
    flags = argparse.ArgumentParser(description="measures GPU packages of Python")
    flags.add_argument("-device", default="cuda:0", help="cuda:0, hip:1")
    flags.add_argument("-kernels", required=True, help="kernels.ptx, or kernels.hip for AMD")
    flags.add_argument("-out", help="the file for the figures")
    flags.add_argument("-time", type=seconds, default=120.0, help="how long it may take")
    flags.add_argument("-only", default="", help="only operations that match this pattern")
    flags.add_argument("-runs", type=int, default=0, help="runs of each way, at most")
    flags = flags.parse_args()
    if not re.fullmatch(r"(cuda|hip):\d+", flags.device):
        print(f"peers: {flags.device} is no device of a Python package", file=sys.stderr)
        return NOT_POSSIBLE
    faulthandler.dump_traceback_later(flags.time + 30, exit=True)
    return Bench(flags).main()


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # some packages take long to end, or fail in it
