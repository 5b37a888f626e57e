# SPDX-License-Identifier: GPL-2.0
"""
A program that reads a file by libaio's system calls, and does between them what it is told:

    python3 aio.py FILE COUNT [rounds=N] [sleep=SECONDS] [die] [buffered]

Each round submits COUNT reads at once, sleeps, or dies, and reaps them. It prints the ns from the submission until it
began to ask for the results, of each round.
"""

import ctypes
import json
import mmap
import os
import platform
import signal
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
IO_SETUP, IO_GETEVENTS, IO_SUBMIT = {"x86_64": (206, 208, 209), "aarch64": (0, 4, 2)}[platform.machine()]
BLOCK = 4096
# Apart from each other, or they would be one request.
STRIDE = 4 * BLOCK


class Iocb(ctypes.Structure):
    """struct iocb (include/uapi/linux/aio_abi.h). Opcode 0 is IOCB_CMD_PREAD."""

    _fields_ = [("data", ctypes.c_uint64), ("key", ctypes.c_uint32), ("rw_flags", ctypes.c_uint32),
                ("opcode", ctypes.c_uint16), ("priority", ctypes.c_int16), ("descriptor", ctypes.c_uint32),
                ("buffer", ctypes.c_uint64), ("bytes", ctypes.c_uint64), ("offset", ctypes.c_int64),
                ("reserved", ctypes.c_uint64), ("flags", ctypes.c_uint32), ("eventfd", ctypes.c_uint32)]


def call(number, *arguments):
    result = LIBC.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


class Reader:
    def __init__(self, path, count, flags):
        self.count = count
        self.context = ctypes.c_ulong(0)
        call(IO_SETUP, ctypes.c_long(count), ctypes.byref(self.context))
        descriptor = os.open(path, os.O_RDONLY | flags)
        self.memory = mmap.mmap(-1, BLOCK * count)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.iocbs = [Iocb(descriptor=descriptor, buffer=start + i * BLOCK, bytes=BLOCK, offset=i * STRIDE)
                      for i in range(count)]
        self.pointers = (ctypes.c_void_p * count)(*map(ctypes.addressof, self.iocbs))
        # struct io_event: data, obj, res, res2.
        self.events = (ctypes.c_int64 * (4 * count))()

    def submit(self):
        assert call(IO_SUBMIT, self.context, ctypes.c_long(self.count), self.pointers) == self.count

    def reap(self):
        count = ctypes.c_long(self.count)
        assert call(IO_GETEVENTS, self.context, count, count, self.events, None) == self.count
        assert list(self.events[2::4]) == [BLOCK] * self.count


def main(path, count, *orders):
    order = dict(word.partition("=")[::2] for word in orders)
    reader = Reader(path, int(count), 0 if "buffered" in order else os.O_DIRECT)
    spans = []
    for _ in range(int(order.get("rounds", 1))):
        begin = time.monotonic_ns()
        reader.submit()
        time.sleep(float(order.get("sleep", 0)))
        if "die" in order:
            os.kill(os.getpid(), signal.SIGKILL)
        spans.append(time.monotonic_ns() - begin)
        reader.reap()
    print(json.dumps(spans))


if __name__ == "__main__":
    main(*sys.argv[1:])
