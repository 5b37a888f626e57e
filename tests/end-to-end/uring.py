# SPDX-License-Identifier: GPL-2.0
"""
A program that reads a file by io_uring's system calls, two linked reads at a time: the second begins when the first has
ended.

    python3 uring.py FILE PAIRS [die]

It ends with status 77 where io_uring can't be used. Told to die, it does so once a pair is submitted.
"""

import ctypes
import mmap
import os
import signal
import struct
import sys

LIBC = ctypes.CDLL(None, use_errno=True)
# The same on all architectures.
SETUP, ENTER = 425, 426
BLOCK = 4096
# From one pair to the next. The second reads of all pairs lie behind the first ones.
STRIDE = 4 * BLOCK

# include/uapi/linux/io_uring.h
OFFSET_SQ_RING, OFFSET_SQES = 0, 0x10000000
OP_READ, LINK, GETEVENTS = 22, 1 << 2, 1
SQE = struct.Struct("BBHiQQIIQ24x")


class Ring:
    def __init__(self, entries):
        params = bytearray(120)
        self.file = LIBC.syscall(SETUP, entries, (ctypes.c_char * 120).from_buffer(params))
        if self.file < 0:
            sys.exit(77)
        words = struct.unpack_from("30I", params)
        self.entries, cq_entries = words[0], words[1]
        self.sq_head, self.sq_tail, self.sq_mask, _, _, _, self.sq_array = words[10:17]
        self.cq_head, self.cq_tail, self.cq_mask, _, _, self.cqes = words[20:26]
        size = max(self.sq_array + 4 * self.entries, self.cqes + 16 * cq_entries)
        # Both rings have been one mapping since Linux 5.4.
        self.ring = mmap.mmap(self.file, size, offset=OFFSET_SQ_RING)
        self.sqes = mmap.mmap(self.file, SQE.size * self.entries, offset=OFFSET_SQES)

    def word(self, offset):
        return struct.unpack_from("I", self.ring, offset)[0]

    def push(self, *fields):
        tail = self.word(self.sq_tail)
        slot = tail & self.word(self.sq_mask)
        SQE.pack_into(self.sqes, slot * SQE.size, *fields)
        struct.pack_into("I", self.ring, self.sq_array + 4 * slot, slot)
        struct.pack_into("I", self.ring, self.sq_tail, tail + 1)

    def enter(self, submit, wait):
        assert LIBC.syscall(ENTER, self.file, submit, wait, GETEVENTS if wait else 0, None, 0) == submit

    def results(self):
        """Of all that has completed."""
        head, tail = self.word(self.cq_head), self.word(self.cq_tail)
        found = [struct.unpack_from("QiI", self.ring, self.cqes + 16 * (i & self.word(self.cq_mask)))[1]
                 for i in range(head, tail)]
        struct.pack_into("I", self.ring, self.cq_head, tail)
        return found


def main(path, pairs, *orders):
    pairs = int(pairs)
    ring, memory = Ring(2), mmap.mmap(-1, 2 * BLOCK)
    file = os.open(path, os.O_RDONLY | os.O_DIRECT)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for i in range(pairs):
        ring.push(OP_READ, LINK, 0, file, i * STRIDE, start, BLOCK, 0, 0)
        ring.push(OP_READ, 0, 0, file, (pairs + i) * STRIDE, start + BLOCK, BLOCK, 0, 0)
        ring.enter(2, 0 if "die" in orders else 2)
        if "die" in orders:
            os.kill(os.getpid(), signal.SIGKILL)
        assert ring.results() == [BLOCK, BLOCK]


if __name__ == "__main__":
    main(*sys.argv[1:])
