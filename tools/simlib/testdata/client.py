"""A client of NVIDIA's cuda.core that knows nothing of the simulator but the names of its kernels.

It prints a line per step, and ends with 1 if one failed.
"""

import pickle
import subprocess
import sys
import threading
import time
import traceback

import numpy as np
from cuda.bindings import driver
from cuda.core import (Device, DeviceMemoryResource, DeviceMemoryResourceOptions, Event, LaunchConfig,
                       LegacyPinnedMemoryResource, ObjectCode, launch)
from cuda.core.graph import GraphBuilder

PTX = b""".version 7.0
.target sm_70
.address_size 64
.visible .entry busy(.param .u64 ns) { ret; }
.visible .entry fill(.param .u32 n, .param .u32 value, .param .u64 out) { ret; }
.visible .entry saxpy(.param .u32 n, .param .f32 a, .param .u64 x, .param .u64 y) { ret; }
"""
SAXPY = r"""extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}"""
TIMED = {"timing_enabled": True}
ONE = LaunchConfig(grid=1, block=1)
failed = []

device = Device()
device.set_current()
stream = device.create_stream()
code = ObjectCode.from_ptx(PTX)
busy = code.get_kernel("busy")


def step(f):
    try:
        f()
        print("ok", f.__name__, flush=True)
    except Exception:
        failed.append(f.__name__)
        print("FAILED", f.__name__, traceback.format_exc(), flush=True)


def work(ms, on=stream):
    launch(on, ONE, busy, np.uint64(ms * 1_000_000))


def raises(f, text):
    try:
        f()
    except Exception as e:
        assert text in str(e), e
        return
    raise AssertionError(f"no {text}")


@step
def device_says_what_it_is():
    assert device.name.startswith("Simulated"), device.name
    assert device.compute_capability == (9, 0), device.compute_capability
    assert device.device_id == 0 and len(device.uuid) == 36
    assert device.properties.multiprocessor_count > 0
    assert Device(1).device_id == 1 and Device(1).can_access_peer(device)
    raises(lambda: Device(2), "device_id must be")


@step
def events_time_work():
    start = stream.record(options=TIMED)
    work(200)
    end = stream.record(options=TIMED)
    assert not end.is_done
    end.sync()
    assert end.is_done and 200 <= end - start < 5000, end - start
    assert start - end == -(end - start)
    assert end.is_timing_enabled and end.device == device and end.context == stream.context


@step
def elapsed_times_are_refused_as_in_package_event():
    plain, timed = stream.record(), stream.record(options=TIMED)
    raises(lambda: timed - plain, "timing enabled")
    unrecorded = device.create_event(TIMED)
    raises(lambda: unrecorded - timed, "must be recorded")
    work(200)
    pending = stream.record(options=TIMED)
    raises(lambda: pending - timed, "not completed")
    pending.sync()


@step
def streams_wait():
    other = device.create_stream()
    started = time.monotonic()
    work(200)
    other.wait(stream)
    behind = other.record()
    assert not behind.is_done
    other.sync()
    assert behind.is_done and time.monotonic() - started >= 0.2
    here = stream.record()
    Device(1).set_current()
    try:
        far = Device(1).create_stream()
        far.wait(here)
        far.sync()
        raises(stream.record, "INVALID_HANDLE")  # makes an event of device 1 for a stream of device 0
    finally:
        device.set_current()
    assert far.device.device_id == 1 and stream.is_nonblocking


@step
def buffers_are_copied():
    n = 1000
    pinned = LegacyPinnedMemoryResource()
    a, b = pinned.allocate(4 * n), pinned.allocate(4 * n)
    x = device.allocate(4 * n, stream=stream)
    host = np.from_dlpack(a).view(np.int32)
    host[:] = np.arange(n)
    a.copy_to(x, stream=stream)
    x.copy_to(b, stream=stream)
    stream.sync()
    assert (np.from_dlpack(b).view(np.int32) == host).all()
    x.fill(7, stream=stream)
    x.copy_to(b, stream=stream)
    stream.sync()
    assert (np.from_dlpack(b).view(np.uint8) == 7).all()
    assert x.is_device_accessible and not x.is_host_accessible
    y = DeviceMemoryResource(device).allocate(64, stream=stream)
    y.close(stream)
    pool = DeviceMemoryResource(device, DeviceMemoryResourceOptions(max_size=1 << 20))
    z = pool.allocate(1 << 19, stream=stream)
    assert pool.attributes.used_mem_current == 1 << 19
    raises(lambda: pool.allocate(1 << 20, stream=stream), "OUT_OF_MEMORY")
    z.close(stream)
    pool.close()


def saxpy(kernel):
    n = 1000
    host = LegacyPinnedMemoryResource().allocate(4 * n)
    x, y = device.allocate(4 * n, stream=stream), device.allocate(4 * n, stream=stream)
    values = np.from_dlpack(host).view(np.float32)
    values[:] = np.arange(n)
    host.copy_to(x, stream=stream)
    host.copy_to(y, stream=stream)
    launch(stream, LaunchConfig(grid=8, block=128), kernel, np.int32(n), np.float32(2), x, y)
    y.copy_to(host, stream=stream)
    stream.sync()
    assert (values == 3 * np.arange(n)).all()
    assert kernel.num_arguments == 4


@step
def kernels_run():
    saxpy(code.get_kernel("saxpy"))
    assert busy.num_arguments == 1 and busy.arguments_info[0].size == 8
    assert busy.occupancy.max_active_blocks_per_multiprocessor(128, 0) > 0
    raises(lambda: code.get_kernel("none"), "NOT_FOUND")


@step
def nvrtc_compiles_for_it():
    try:
        import nvidia.cu13  # noqa: F401  has NVRTC
    except ImportError:
        print("   NVRTC is not installed")
        return
    from cuda.core import Program, ProgramOptions
    saxpy(Program(SAXPY, code_type="c++", options=ProgramOptions(arch="sm_90")).compile("cubin").get_kernel("saxpy"))


@step
def graphs_are_captured_and_launched():
    called = []
    root = device.create_graph_builder().begin_building()
    work(1, root)
    left, right = root.split(2)
    work(1, left)
    right.callback(lambda: called.append(1))
    root = GraphBuilder.join(left, right)
    work(1, root)
    graph = root.end_building().complete()
    graph.upload(stream)
    for _ in range(3):
        graph.launch(stream)
    stream.sync()
    assert len(called) == 3, called
    again = device.create_graph_builder().begin_building()
    work(1, again)
    again.end_building()
    again.close()
    graph.close()
    graph.close()


@step
def graphs_split_twice():
    root = device.create_graph_builder().begin_building()
    work(1, root)
    first = root.split(3)
    second = first[-1].split(3)
    for branch in first[:-1] + second:
        work(1, branch)
    inner = GraphBuilder.join(*second)
    assert inner.is_join_required
    root = GraphBuilder.join(inner, *first[:-1])
    work(1, root)
    root.end_building().complete().launch(stream)
    stream.sync()


@step
def graphs_are_updated():
    def build(ms):
        g = device.create_graph_builder().begin_building()
        work(ms, g)
        return g.end_building()

    graph = build(1).complete()
    graph.update(build(30))
    start = stream.record(options=TIMED)
    graph.launch(stream)
    end = stream.record(options=TIMED)
    end.sync()
    assert end - start >= 30


@step
def captures_refuse_queries():
    g = device.create_graph_builder().begin_building(mode="global")
    err, = driver.cuStreamQuery(stream.handle)
    assert err == driver.CUresult.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, err
    raises(g.end_building, "invalidated")


@step
def threads_have_contexts_of_their_own():
    seen = []

    def other():
        seen.append(int(driver.cuCtxGetCurrent()[1]))
        Device(0).set_current()
        e = Device(0).create_stream().record(options=TIMED)
        e.sync()
        seen.append(e.is_done)

    for _ in range(20):
        t = threading.Thread(target=other)
        t.start()
        t.join()
    assert seen == [0, True] * 20, seen


IMPORT = """
import pickle, sys
from cuda.core import Device, Event
Device().set_current()
e = Event.from_ipc_descriptor(pickle.loads(bytes.fromhex(sys.argv[1])))
print("done" if e.is_done else "pending", flush=True)
e.sync()
print("done" if e.is_done else "pending", flush=True)
"""


@step
def events_cross_processes():
    gate = LegacyPinnedMemoryResource().allocate(4)
    value = np.from_dlpack(gate).view(np.uint32)
    value[0] = 0
    equal = driver.CUstreamWaitValue_flags.CU_STREAM_WAIT_VALUE_EQ
    err, = driver.cuStreamWaitValue32(stream.handle, int(gate.handle), 1, int(equal))
    assert err == driver.CUresult.CUDA_SUCCESS, err
    e = stream.record(options={"ipc_enabled": True})
    raises(lambda: Event.from_ipc_descriptor(e.ipc_descriptor), "Failed to open")  # in its own process
    descriptor = pickle.dumps(e.ipc_descriptor).hex()
    child = subprocess.Popen([sys.executable, "-c", IMPORT, descriptor], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "pending\n"
    value[0] = 1
    assert child.stdout.readline() == "done\n"
    assert child.wait(60) == 0
    stream.sync()
    assert e.is_done


sys.exit(1 if failed else 0)
