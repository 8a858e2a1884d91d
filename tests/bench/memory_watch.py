"""How much memory a process has, and the GPUs of the host, at every moment of its run."""
import ctypes
import dataclasses
import os
import pathlib
import statistics
import subprocess
import time

from session import ProgramFailed

INTERVAL = 0.01  # s


@dataclasses.dataclass
class Watched:
    """Milliseconds, and bytes, one of each list for every time that was looked: resident, and on all GPUs in use beyond
    what was before, by whatever process; none of these where there is no NVML."""
    wall: float
    resident: list
    device: list


def later_thirds(values):
    """The medians of what was seen in the second third of a run and in the last: in the first every worker starts, and
    meets its largest image so far."""
    third = len(values) // 3
    return statistics.median(values[third:2 * third]), statistics.median(values[2 * third:])


class MemoryInfo(ctypes.Structure):
    """nvmlMemory_t: bytes."""
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class DeviceMemory:
    """Of all GPUs together, from the driver's library NVML."""

    def __init__(self):
        self.handles = []
        count = ctypes.c_uint()
        try:
            self._nvml = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            return
        if self._nvml.nvmlInit_v2() != 0 or self._nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)) != 0:
            return
        self.handles = [ctypes.c_void_p() for _ in range(count.value)]
        for index, handle in enumerate(self.handles):
            self._nvml.nvmlDeviceGetHandleByIndex_v2(index, ctypes.byref(handle))

    def used(self):
        used = 0
        for handle in self.handles:
            info = MemoryInfo()
            if self._nvml.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(info)) == 0:
                used += info.used
        return used


def resident_memory(process):
    """0 when it has ended."""
    try:
        pages = pathlib.Path(f"/proc/{process.pid}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGESIZE")


def watch(*command):
    """Runs it to its end."""
    devices = DeviceMemory()
    before, resident, device = devices.used(), [], []
    begin = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True)
    while process.poll() is None:
        resident.append(resident_memory(process))
        if devices.handles:
            device.append(devices.used() - before)
        time.sleep(INTERVAL)
    wall = (time.perf_counter() - begin) * 1e3
    if process.returncode != 0:
        raise ProgramFailed((process.stderr.read().strip() or f"exit {process.returncode}").splitlines()[0])
    return Watched(wall, resident, device)
