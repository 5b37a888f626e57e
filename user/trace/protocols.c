// SPDX-License-Identifier: GPL-2.0
#include "protocols.h"

#include <inttypes.h>

#include "base/text.h"

#define ROW(id, name) [REMOTE_##id] = (name),
static const char *const protocol_name[REMOTE_PROTOCOLS] = {IOSTRATA_REMOTE_PROTOCOLS(ROW)};
#undef ROW

/* enum p9_msg_t (include/net/9p/9p.h): requests, by half their number. */
static const char *const kind_of_9p[REMOTE_KINDS] = {
	/* clang-format off */
	[6 / 2] = "Tlerror", [8 / 2] = "Tstatfs", [12 / 2] = "Tlopen", [14 / 2] = "Tlcreate", [16 / 2] = "Tsymlink",
	[18 / 2] = "Tmknod", [20 / 2] = "Trename", [22 / 2] = "Treadlink", [24 / 2] = "Tgetattr", [26 / 2] = "Tsetattr",
	[30 / 2] = "Txattrwalk", [32 / 2] = "Txattrcreate", [40 / 2] = "Treaddir", [50 / 2] = "Tfsync", [52 / 2] = "Tlock",
	[54 / 2] = "Tgetlock", [70 / 2] = "Tlink", [72 / 2] = "Tmkdir", [74 / 2] = "Trenameat", [76 / 2] = "Tunlinkat",
	[100 / 2] = "Tversion", [102 / 2] = "Tauth", [104 / 2] = "Tattach", [108 / 2] = "Tflush", [110 / 2] = "Twalk",
	[112 / 2] = "Topen", [114 / 2] = "Tcreate", [116 / 2] = "Tread", [118 / 2] = "Twrite", [120 / 2] = "Tclunk",
	[122 / 2] = "Tremove", [124 / 2] = "Tstat", [126 / 2] = "Twstat",
	/* clang-format on */
};

/* enum fuse_opcode (include/uapi/linux/fuse.h). */
static const char *const kind_of_fuse[REMOTE_KINDS] = {
	/* clang-format off */
	[1] = "FUSE_LOOKUP", [2] = "FUSE_FORGET", [3] = "FUSE_GETATTR", [4] = "FUSE_SETATTR", [5] = "FUSE_READLINK",
	[6] = "FUSE_SYMLINK", [8] = "FUSE_MKNOD", [9] = "FUSE_MKDIR", [10] = "FUSE_UNLINK", [11] = "FUSE_RMDIR",
	[12] = "FUSE_RENAME", [13] = "FUSE_LINK", [14] = "FUSE_OPEN", [15] = "FUSE_READ", [16] = "FUSE_WRITE",
	[17] = "FUSE_STATFS", [18] = "FUSE_RELEASE", [20] = "FUSE_FSYNC", [21] = "FUSE_SETXATTR", [22] = "FUSE_GETXATTR",
	[23] = "FUSE_LISTXATTR", [24] = "FUSE_REMOVEXATTR", [25] = "FUSE_FLUSH", [26] = "FUSE_INIT",
	[27] = "FUSE_OPENDIR", [28] = "FUSE_READDIR", [29] = "FUSE_RELEASEDIR", [30] = "FUSE_FSYNCDIR",
	[31] = "FUSE_GETLK", [32] = "FUSE_SETLK", [33] = "FUSE_SETLKW", [34] = "FUSE_ACCESS", [35] = "FUSE_CREATE",
	[36] = "FUSE_INTERRUPT", [37] = "FUSE_BMAP", [38] = "FUSE_DESTROY", [39] = "FUSE_IOCTL", [40] = "FUSE_POLL",
	[41] = "FUSE_NOTIFY_REPLY", [42] = "FUSE_BATCH_FORGET", [43] = "FUSE_FALLOCATE", [44] = "FUSE_READDIRPLUS",
	[45] = "FUSE_RENAME2", [46] = "FUSE_LSEEK", [47] = "FUSE_COPY_FILE_RANGE", [48] = "FUSE_SETUPMAPPING",
	[49] = "FUSE_REMOVEMAPPING", [50] = "FUSE_SYNCFS", [51] = "FUSE_TMPFILE", [52] = "FUSE_STATX",
	/* clang-format on */
};

void protocol_describe(struct remote_view *view, uint32_t name)
{
	uint32_t kind = name % REMOTE_KINDS, protocol = name / REMOTE_KINDS % REMOTE_PROTOCOLS;
	const char *word = (protocol == REMOTE_9P ? kind_of_9p : kind_of_fuse)[kind];

	*view = (struct remote_view){
		.protocol = xstrdup(protocol_name[protocol]),
		.kind = word ? xstrdup(word) : xasprintf("%" PRIu32, protocol == REMOTE_9P ? 2 * kind : kind),
		.written_back = name / REMOTE_KINDS / REMOTE_PROTOCOLS,
		.has_bytes = protocol == REMOTE_FUSE,
	};
}
