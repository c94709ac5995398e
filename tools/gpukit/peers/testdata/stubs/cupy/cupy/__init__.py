"""A stub of cupy."""

import os
import types

import fakegpu as gpu

__version__ = "0.0"
float32 = "float32"


class Event(gpu.Mark):
    def __init__(self, disable_timing=False):
        self.timed = not disable_timing

    record = gpu.Mark.put
    done = property(gpu.Mark.reached)

    def synchronize(self):
        self.at_time(self.at)


def get_elapsed_time(start, end):
    if not (start.timed and end.timed):
        raise RuntimeError("events without timing")
    return end.milliseconds_since(start)


class Graph:
    def launch(self, stream):
        stream.busy(0)


class Stream(gpu.Queue):
    def __init__(self, non_blocking):
        super().__init__()

    synchronize = gpu.Queue.await_all
    wait_event = gpu.Queue.await_mark

    def use(self):
        cuda.current = self

    def begin_capture(self):
        pass

    def end_capture(self):
        return Graph()


class Memory(gpu.Memory):
    ptr = property(lambda self: self.address)

    def copy_from_host_async(self, source, size, stream):
        gpu.copy(self.address, source, size)

    def copy_to_host_async(self, to, size, stream):
        gpu.copy(to, self.address, size)

    def copy_from_host(self, source, size):
        gpu.copy(self.address, source, size)

    def copy_to_host(self, to, size):
        gpu.copy(to, self.address, size)


def empty(n, dtype):
    return Memory(4 * n)


class RawModule:
    def __init__(self, code=None, path=None, backend="nvrtc"):
        text = code or open(path, encoding="ascii").read()
        if "busy" not in text:
            raise ValueError("no kernels")

    def get_function(self, name):
        want = {"busy": 1, "empty0": 0, "empty4": 4, "empty8": 8}[name]

        def launch(grid, block, arguments):
            if len(arguments) != want or (grid, block) != ((1,), (1,)):
                raise ValueError(f"{len(arguments)} arguments of {name}")
            cuda.current.busy(arguments[0] if name == "busy" else 0)

        return launch


cuda = types.SimpleNamespace(
    Device=lambda number: types.SimpleNamespace(use=lambda: None),
    Event=Event,
    Stream=Stream,
    get_elapsed_time=get_elapsed_time,
    alloc=Memory,
    alloc_pinned_memory=Memory,
    malloc_async=Memory,
    memory=types.SimpleNamespace(Memory=Memory),
    runtime=types.SimpleNamespace(
        is_hip=bool(os.environ.get("STUB_HIP")), getDeviceCount=lambda: 2
    ),
)
