"""A stub of torch."""

import os
import types

import fakegpu as gpu

__version__ = "0.0"
version = types.SimpleNamespace(hip="6.4" if os.environ.get("STUB_HIP") else None)
uint8 = "uint8"


class Event(gpu.Mark):
    def __init__(self, enable_timing=False):
        self.timed = enable_timing

    record = gpu.Mark.put
    query = gpu.Mark.reached

    def synchronize(self):
        self.at_time(self.at)

    def elapsed_time(self, end):
        if not (self.timed and end.timed):
            raise RuntimeError("events without timing")
        return end.milliseconds_since(self)


class Stream(gpu.Queue):
    synchronize = gpu.Queue.await_all
    wait_event = gpu.Queue.await_mark


class CUDAGraph:
    def replay(self):
        cuda.current.busy(0)


class graph:
    def __init__(self, graph, stream):
        pass

    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


def device(kind, number):
    return (kind, number)


class Tensor(gpu.Memory):
    def data_ptr(self):
        return self.address

    def copy_(self, other, non_blocking):
        gpu.copy(self.address, other.address, self.size)


def empty(size, dtype, device):
    return Tensor(size)


def zeros(size, dtype, pin_memory):
    return Tensor(size)


cuda = types.SimpleNamespace(
    is_available=lambda: not os.environ.get("STUB_NONE"),
    device_count=lambda: 2,
    set_device=lambda number: None,
    set_stream=lambda stream: setattr(cuda, "current", stream),
    Stream=Stream,
    Event=Event,
    CUDAGraph=CUDAGraph,
    graph=graph,
    _sleep=lambda cycles: cuda.current.busy(2 * cycles),
)
