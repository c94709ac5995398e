"""A GPU for stubs of Python's packages, whose work is nothing but time.

STUB_FAIL names an operation that fails, STUB_LACKS one that is not supported, STUB_SPOILS makes
copies wrong.
"""

import ctypes
import os
import time


def call(name):
    if os.environ.get("STUB_FAIL") == name:
        raise RuntimeError(f"{name} failed\nin two lines")
    if os.environ.get("STUB_LACKS") == name:
        raise RuntimeError(f"CUDA_ERROR_NOT_SUPPORTED: {name}")


class Queue:
    def __init__(self):
        self.idle = 0

    def end(self):
        return max(self.idle, time.perf_counter_ns())

    def busy(self, ns):
        call("launch")
        self.idle = self.end() + ns

    def await_all(self):
        call("sync")
        Mark.at_time(self.idle)

    def await_mark(self, mark):
        call("wait")
        self.idle = max(self.idle, mark.at)


class Mark:
    at = 0

    @staticmethod
    def at_time(at):
        while time.perf_counter_ns() < at:
            time.sleep(1e-5)

    def put(self, queue):
        call("record")
        self.at = queue.end()

    def reached(self):
        call("query")
        return time.perf_counter_ns() >= self.at

    def milliseconds_since(self, start):
        call("elapsed")
        return (self.at - start.at) / 1e6


def copy(to, source, size):
    call("copy")
    ctypes.memmove(to, source, size)
    if os.environ.get("STUB_SPOILS"):
        ctypes.memset(to, 1, 1)


class Memory:
    def __init__(self, size):
        call("alloc")
        self.data = (ctypes.c_ubyte * size)()
        self.address, self.size = ctypes.addressof(self.data), size
