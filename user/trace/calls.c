// SPDX-License-Identifier: GPL-2.0
#include "calls.h"

#include <string.h>
#include <sys/syscall.h>

#include "base/text.h"

static const struct {
	unsigned number;
	unsigned call; /* enum call */
} watched[] = {
	{SYS_read, CALL_READ},
	{SYS_pread64, CALL_READ},
	{SYS_readv, CALL_READ},
	{SYS_preadv, CALL_READ},
	{SYS_preadv2, CALL_READ},
	{SYS_write, CALL_WRITE},
	{SYS_pwrite64, CALL_WRITE},
	{SYS_writev, CALL_WRITE},
	{SYS_pwritev, CALL_WRITE},
	{SYS_pwritev2, CALL_WRITE},
	{SYS_fsync, CALL_FSYNC},
	{SYS_fdatasync, CALL_FDATASYNC},
	{SYS_sync_file_range, CALL_SYNC_RANGE},
	{SYS_msync, CALL_MSYNC},
	{SYS_sync, CALL_SYNC},
	{SYS_syncfs, CALL_SYNC},
	{SYS_io_submit, CALL_SUBMIT},
	{SYS_io_getevents, CALL_GETEVENTS},
	{SYS_io_pgetevents, CALL_GETEVENTS},
	{SYS_io_uring_enter, CALL_URING},
};

void calls_number(uint8_t call[MAX_CALL_NUMBER])
{
	memset(call, 0, MAX_CALL_NUMBER);
	for (size_t i = 0; i < ARRAY_SIZE(watched); i++)
		if (watched[i].number < MAX_CALL_NUMBER)
			call[watched[i].number] = watched[i].call + 1;
}
