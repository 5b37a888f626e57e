#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
A file system in memory that counts: fuse_server.py MOUNT LOG [--delay MS] [--refuse-direct]

Each request of the kernel is a line in LOG as soon as it arrives, by the name that the protocol has for it. Reads,
writes and syncs take --delay or longer, side by side. Ends when it is unmounted.
"""

import argparse
import errno
import os
import stat
import time

import pyfuse3
import trio

BLOCK = 4096


class File:
    def __init__(self, mode):
        self.mode, self.data, self.changed = mode, bytearray(), time.time_ns()


class Counting(pyfuse3.Operations):
    def __init__(self, options):
        super().__init__()
        self.options = options
        self.log = open(options.log, "a", buffering=1)
        self.files = {pyfuse3.ROOT_INODE: File(stat.S_IFDIR | 0o755)}
        self.names = {}

    def note(self, kind, size=0):
        self.log.write(f"{kind} {size}\n")

    async def work(self):
        if self.options.delay:
            await trio.sleep(self.options.delay / 1000)

    def attributes(self, inode):
        file, entry = self.files[inode], pyfuse3.EntryAttributes()
        entry.st_ino, entry.st_mode, entry.st_size = inode, file.mode, len(file.data)
        entry.st_nlink = 1
        entry.st_uid = entry.st_gid = 0
        entry.st_atime_ns = entry.st_mtime_ns = entry.st_ctime_ns = file.changed
        entry.st_blksize, entry.st_blocks = BLOCK, len(file.data) // 512
        return entry

    async def lookup(self, parent, name, ctx):
        self.note("FUSE_LOOKUP")
        if name not in self.names:
            raise pyfuse3.FUSEError(errno.ENOENT)
        return self.attributes(self.names[name])

    async def getattr(self, inode, ctx):
        self.note("FUSE_GETATTR")
        return self.attributes(inode)

    async def setattr(self, inode, attr, fields, fh, ctx):
        self.note("FUSE_SETATTR")
        data = self.files[inode].data
        if fields.update_size:
            del data[attr.st_size:]
            data.extend(bytes(attr.st_size - len(data)))
        return self.attributes(inode)

    async def create(self, parent, name, mode, flags, ctx):
        self.note("FUSE_CREATE")
        inode = max(self.files) + 1
        self.files[inode], self.names[name] = File(stat.S_IFREG | mode & 0o777), inode
        return pyfuse3.FileInfo(fh=inode), self.attributes(inode)

    async def unlink(self, parent, name, ctx):
        self.note("FUSE_UNLINK")
        self.names.pop(name)

    async def open(self, inode, flags, ctx):
        self.note("FUSE_OPEN")
        if self.options.refuse_direct and flags & os.O_DIRECT:
            raise pyfuse3.FUSEError(errno.EINVAL)
        return pyfuse3.FileInfo(fh=inode, keep_cache=True)

    async def read(self, fh, offset, size):
        data = bytes(self.files[fh].data[offset:offset + size])
        self.note("FUSE_READ", len(data))
        await self.work()
        return data

    async def write(self, fh, offset, buffer):
        self.note("FUSE_WRITE", len(buffer))
        await self.work()
        data = self.files[fh].data
        data.extend(bytes(max(0, offset - len(data))))
        data[offset:offset + len(buffer)] = buffer
        return len(buffer)

    async def fsync(self, fh, datasync):
        self.note("FUSE_FSYNC")
        await self.work()

    async def flush(self, fh):
        self.note("FUSE_FLUSH")

    async def release(self, fh):
        self.note("FUSE_RELEASE")

    async def statfs(self, ctx):
        self.note("FUSE_STATFS")
        room = pyfuse3.StatvfsData()
        room.f_bsize = room.f_frsize = BLOCK
        room.f_blocks = room.f_bfree = room.f_bavail = 1 << 18
        room.f_files = room.f_ffree = room.f_favail = 1 << 10
        room.f_namemax = 255
        return room

    async def opendir(self, inode, ctx):
        self.note("FUSE_OPENDIR")
        return inode

    async def readdir(self, fh, start, token):
        self.note("FUSE_READDIRPLUS")
        for number, (name, inode) in enumerate(sorted(self.names.items()), 1):
            if number > start and not pyfuse3.readdir_reply(token, name, self.attributes(inode), number):
                break

    async def releasedir(self, fh):
        self.note("FUSE_RELEASEDIR")

    async def access(self, inode, mode, ctx):
        self.note("FUSE_ACCESS")
        return True

    async def getxattr(self, inode, name, ctx):
        self.note("FUSE_GETXATTR")
        raise pyfuse3.FUSEError(errno.ENODATA)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mount")
    parser.add_argument("log")
    parser.add_argument("--delay", type=float, default=0)
    parser.add_argument("--refuse-direct", action="store_true")
    options = parser.parse_args()
    pyfuse3.init(Counting(options), options.mount, {"fsname=counting", "allow_other"})
    try:
        trio.run(pyfuse3.main)
    finally:
        pyfuse3.close(unmount=True)


if __name__ == "__main__":
    main()
