/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The model: everything known of one invocation. Reports are drawn from it and from nothing else. Times are ns, sizes
 * bytes, moments ns since the epoch. What is not known is absent: a NULL pointer, or a `has_...` that is false.
 *
 * A structure owns what its pointers lead to; result_free() frees all of it.
 */
#ifndef RESULT_RESULT_H
#define RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <iostrata/shared.h>

#include "hist.h"

/* The names in iostrata/shared.h and stages.h. */
extern const char *const op_name[OPS];
extern const char *const loss_name[LOSSES];
extern const char *const stage_name[STAGES];
extern const char *const hop_name[HOPS];
extern const char *const owner_name[OWNERS];
extern const char *const boundary_letter[BOUNDARIES];
extern const char *const io_op_name[IO_OPS];
extern const char *const io_way_name[IO_WAYS];
extern const char *const io_end_name[IO_ENDS];
extern const char *const io_note_name[IO_NOTES];
extern const char *const io_stage_name[IO_STAGES];
extern const char *const call_name[CALLS];
extern const char *const class_name[CLASSES];
extern const char *const foreigner_kind_name[FOREIGNERS];

/* --- the test: one row of the matrix --- */

enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_MIX, ACCESSES };

struct test {
	char name[48]; /* (SEQ|RND)<size>-Q<depth>T<jobs>-(Read|Write|Mix<read %>) */
	bool random;
	enum access access;
	unsigned read_percent; /* 100, 0, or that of a mix */
	uint64_t block_size;
	unsigned depth, jobs;
};

/* --- what the engine says of a run --- */

/* fio's three: call to submitted, submitted to reaped, and their sum, which is what DiskSpd reports. */
enum latency_kind { LATENCY_SLAT, LATENCY_CLAT, LATENCY_LAT, LATENCY_KINDS };

extern const char *const latency_name[LATENCY_KINDS];

/* The percentiles that are asked for and shown everywhere. */
enum percentile { P50, P90, P95, P99, P99_9, P99_99, PERCENTILES };

extern const double percentile_percent[PERCENTILES];

struct latency {
	uint64_t count;
	uint64_t min, max;
	double mean, stddev;
	bool has_percentile[PERCENTILES];
	uint64_t percentile[PERCENTILES]; /* as the engine reports them */
	struct hist *hist;		  /* from its bins; NULL where it has none */
};

/* One direction, indexed OP_READ or OP_WRITE. */
struct direction {
	uint64_t ios, bytes;
	uint64_t bytes_per_second;
	double ios_per_second;
	uint64_t runtime;
	struct latency latency[LATENCY_KINDS];
};

#define DIRECTIONS 2

struct engine_figures {
	char *version;	     /* "fio-3.33" */
	int error;	     /* errno of the first job that failed, 0 when none did */
	char *message;	     /* what the engine printed beside its result; NULL when nothing */
	double user_percent; /* CPU of its jobs, as it reports it; summed over jobs */
	double system_percent;
	struct direction direction[DIRECTIONS];
};

/* --- what the probes saw of a run --- */

/*
 * One second of a stage, or several where a run is longer than about two minutes (older ones are put together then):
 * from the end of the entry before it to its own. Only the buckets that grew in it.
 */
struct second {
	uint64_t at; /* its end, since the recording began */
	struct grown {
		uint32_t bucket;
		uint64_t count;
	} *grown;
	size_t buckets;
};

struct course {
	struct second *second; /* those without any are left out */
	size_t seconds;
};

/* What the fields count is said at struct op_counts in iostrata/shared.h. */
struct op_view {
	uint64_t issues, issued_bytes;
	uint64_t requeues, requeued_bytes;
	uint64_t completions, completed_bytes;
	uint64_t partial, unissued, flush_ends;
	uint64_t in_flight_at_end;
	uint64_t loss[LOSSES];
	uint64_t error[STATUSES]; /* by blk_status_t */
	uint64_t faults, faults_found;
	uint64_t fua; /* issued with FUA, requeued ones not counted */
	uint64_t reached_bytes; /* complete before the program was told for the last time that its data is safe or taken */

	uint64_t bios, bio_bytes, empty;
	uint64_t asked_flush, asked_fua; /* bios that ask for a flush before them, or to be durable when they end */
	uint64_t finished, ended_early, pieces;
	uint64_t bios_in_flight_at_end;
	uint64_t bio_loss[LOSSES];
	uint64_t walked, unqueued, walk_over, children;

	struct hist stage[STAGES];
	struct course course[STAGES];
	struct hist *hop[HOPS]; /* of a SCSI disk, inside of the stage device; NULL: not known, or there was none */
};

/* Frees what a view holds and zeroes it. */
void op_view_clear(struct op_view *view);

/* The errno that a blk_status_t means to user space (block/blk-core.c, blk_errors), or 0 for one that is not known. */
int status_errno(unsigned status);

/* The accounts of what passed a layer: started = timed + untimed + in_flight + lost. */
struct balance {
	uint64_t started;
	uint64_t timed;
	uint64_t untimed;   /* bios only: flushes without data, and attempts that ended early */
	uint64_t in_flight; /* at the end */
	uint64_t lost;
};

/* Differences of /sys/block/X/stat over the recording, by its four groups. */
enum stat_group { STAT_READ, STAT_WRITE, STAT_DISCARD, STAT_FLUSH, STAT_GROUPS };

extern const char *const stat_group_name[STAT_GROUPS];

struct stat_delta {
	uint64_t ios, sectors;
	uint64_t time; /* ns, of the file's whole milliseconds; from the allocation of the request to its end */
};

/* What one device of the stack did. */
struct layer_view {
	char *device;	  /* "nvme0n1" */
	bool has_requests; /* else C is that of bios (stage `through`) */
	bool partition;	   /* of the target; its disk is a layer of its own */
	bool queue;	  /* its bios were followed from Q */
	struct op_view *op[OPS]; /* NULL: none seen */
	bool has_stat;		       /* false where the device was busy at an edge, so that the counts can't be equal */
	struct stat_delta stat[STAT_GROUPS];
};

/* Of requests: issues less requeues. On a bio-based layer, of bios, where they were followed. */
struct balance layer_balance(const struct layer_view *layer, enum op op);

/* Of bios on a layer with requests, where they were followed. */
struct balance layer_bio_balance(const struct layer_view *layer, enum op op);

/* The stage that spans a layer: device, or through on a bio-based one. */
enum stage layer_stage(const struct layer_view *layer);

/*
 * What came of the program's I/Os of one op in a second, or in several where a run is long: means of any span of it. One
 * in which nothing ended is left out.
 */
struct io_second {
	uint64_t from, to; /* since the recording began */
	uint64_t bytes;	   /* that the program got or gave */
	uint64_t count[IO_PARTS], sum[IO_PARTS]; /* I/Os that had the part, and its ns */
};

/* The program's I/Os of one op. What the counters mean is said at struct io_counts in iostrata/io.h. */
struct io_view {
	struct io_counts counts;
	uint64_t in_flight_at_end; /* called and not returned: on their way, or never asked for */
	struct hist stage[IO_STAGES];
	struct course course[IO_STAGES]; /* the tracer keeps that of the total alone */
	struct latency_row row[LATENCY_ROWS]; /* of the joined ones; percentiles do not add, these sums do */
	struct io_second *second;	      /* result/seconds.h */
	size_t seconds;
};

/* What io_view_clear() frees and zeroes. */
void io_view_clear(struct io_view *view);

/* I/Os that have ended, in whatever way. */
uint64_t io_ended(const struct io_view *view);

/* System calls of one kind, buffered or not. */
struct call_view {
	struct call_counts counts;
	struct hist time;
};

/* What somebody else did on the disk. */
struct foreign_view {
	char *command; /* "jbd2/sda1-8"; "writeback" for all of the kernel's; NULL: those beyond the names that are kept */
	enum foreigner_kind kind;
	struct bio_counts op[OPS];
};

/* Round trips of one kind of request to the server of a file system without a block device (9p, FUSE, virtiofs). */
struct remote_view {
	char *protocol; /* "9p" or "fuse" */
	char *kind;	/* "Tread", "FUSE_WRITE"; by number where it has no name here: "119" */
	bool written_back; /* sent by the kernel, for pages of files that the workload wrote */
	uint64_t sent;	/* by the workload while recording was on */
	uint64_t answered, failed; /* of them; failed ones are answered, too */
	uint64_t in_flight_at_end, lost;
	bool has_bytes;
	uint64_t bytes; /* of data, in requests and answers; 9p does not tell */
	struct hist time;
};

struct trace_view {
	uint64_t started;	    /* when recording was switched on; 0: not known (an older file) */
	uint64_t recorded;	    /* how long recording was on */
	char *top;		    /* the target's own disk, where bios are counted by owner; "all disks" for several */
	bool ios;		    /* I/Os were followed from call to return: what follows is known */
	struct io_view *io[IO_OPS]; /* NULL: none seen */
	struct call_view *call[CALLS]; /* NULL: none seen */
	struct io_record *slowest;  /* the slowest first */
	size_t slowest_count;
	struct io_record *slow; /* of --slow, in the order in which they ended */
	size_t slow_count;
	struct remote_view *remote; /* round trips to a file system's server, most time first */
	size_t remotes;
	uint64_t slow_dropped; /* beyond the room for them */
	struct foreign_view *foreigner; /* most bytes first */
	size_t foreigners;
	bool unledgered;  /* of a file that was written before flushes and synchronous writes were counted */
	bool has_reached; /* the program was told of writes that the page cache took, or synced: op.reached_bytes is known */
	char *hidden; /* why I/Os of libaio and io_uring cannot be joined; NULL when they can */
	struct bio_counts queued[OWNERS][OPS];
	struct layer_view *leaf; /* with nothing under it */
	size_t leaves;
	struct layer_view *above; /* the other layers, the target's own first */
	size_t aboves;
	uint64_t program_misses;    /* runs that the kernel skipped, from bpf_prog_info.recursion_misses */
};

/* --- samples, once a second in the measured part --- */

struct sample {
	uint64_t at;	     /* since the start of the run */
	double cpu_percent;  /* 100 - idle - iowait of all CPUs */
	double mem_percent;  /* (MemTotal - MemAvailable) / MemTotal */
	bool has_disk;
	double disk_percent; /* busy time of the target's own device */
	uint64_t disk_ios;   /* completed by the target's own device in this second */
	uint64_t disk_bytes;
};

/* --- what the machine was like in the measured part --- */

/* A time in which nothing ran: each CPU's heartbeat was late at once. */
struct pause {
	uint64_t at, length; /* since the recording began, or the run where nothing was recorded; ns */
};

/* An array (md) at the end of the run, or, where it was not idle then, at its start. */
struct array_state {
	char *device;
	char *level;	   /* "raid1" */
	char *action;	   /* "idle", "resync", "recover", "check", ... */
	uint64_t degraded; /* members that it lacks */
};

struct conditions {
	double *cpu_busy; /* percent of the measured part, by CPU number; negative: it was offline */
	size_t cpus;
	bool has_steal; /* false where the hypervisor does not tell: it is not 0 then, but not known */
	double steal_percent; /* of all CPUs' time, taken by the hypervisor */
	bool has_heartbeat;
	struct pause *pause;
	size_t pauses;
	bool has_drift;
	double drift; /* of CLOCK_REALTIME against CLOCK_MONOTONIC_RAW, in parts per million */
	bool has_power, on_battery;
	bool has_throttling;
	uint64_t throttlings; /* times that CPUs were slowed down because of their heat */
	bool has_temperature;
	double coldest, hottest; /* of the leaves' own sensors, before and after; degrees Celsius */
	struct array_state *array; /* those under the target */
	size_t arrays;
	bool has_interrupts;
	uint64_t interrupts; /* of the leaves, or of their controllers where these alone are counted */
	bool has_kicks;
	uint64_t kicks; /* signals to the hypervisor that there is work, of the leaves' controllers */
};

/* --- checks --- */

enum check_state { CHECK_PASSED, CHECK_WARNING, CHECK_FAILED, CHECK_NOT_APPLICABLE, CHECK_UNKNOWN, CHECK_STATES };

extern const char *const check_state_name[CHECK_STATES];

struct check {
	char *name;
	enum check_state state;
	bool finding; /* it passed, and what it found is worth telling all the same */
	char *found, *expected;
	char *sentence; /* for a person, with what to do */
};

/* --- the run --- */

enum run_state { RUN_DONE, RUN_FAILED, RUN_SKIPPED, RUN_INTERRUPTED, RUN_STATES };

extern const char *const run_state_name[RUN_STATES];

/* Whether the number can be believed; the rule is in verdict.c. NONE: too little is known for any of the others. */
enum verdict { VERDICT_NONE, VERDICT_REAL, VERDICT_SUSPECT, VERDICT_NOT_REAL, VERDICTS };

/* "", "REAL", "SUSPECT", "NOT REAL" */
extern const char *const verdict_name[VERDICTS];

#define NO_TEST SIZE_MAX

struct run {
	size_t target, test; /* indices into the result's arrays; test is NO_TEST for a traced program */
	unsigned iteration;  /* from 1 */
	enum run_state state;
	char *reason; /* why it is not done; NULL when it is */
	uint64_t started, elapsed;
	bool has_gap;
	uint64_t gap;	/* between the end of the warm-up and the start of the measured part */
	char **command; /* argv of the engine's measured run or of the traced program, NULL-terminated; NULL: none */
	bool has_status;
	int status; /* of a traced program that ended: 0 to 255, or 128 + the signal that killed it */
	struct engine_figures *engine;
	struct trace_view *trace;
	char *untraced; /* why there is no trace; NULL when there is one or none was asked for */
	struct sample *sample;
	size_t samples;
	struct conditions *conditions; /* NULL: nothing is known */
	bool has_probe_cost;
	uint64_t probe_cost; /* ns of the probes for each I/O, as the kernel times its programs: at the most */
	struct check *check;
	size_t checks;
	enum verdict verdict;
};

/* --- the target --- */

/* TARGET_DISKS: all disks of the machine, or those that -D names, watched by trace. */
enum target_kind { TARGET_DIRECTORY, TARGET_FILE, TARGET_DEVICE, TARGET_DISKS, TARGET_KINDS };

extern const char *const target_kind_name[TARGET_KINDS];

/* One block device of the stack under the target, the target's own first. */
struct layer {
	char *name;		/* "sda1" */
	char *parent_disk;	/* of a partition: "sda" */
	char *model, *serial;	/* NULL where sysfs has none */
	char *backing_file;	/* of a loop device */
	char *scheduler;	/* the active one */
	char *write_cache;	/* "write back" or "write through" */
	char *memory;		/* why what is written there is no disk: "compressed memory (zram)"; NULL where it may be one */
	char *backing_filesystem; /* of a loop device's file: "ext4" */
	char *driver;		/* of the kernel: "virtio_blk", "hv_storvsc", "nvme"; NULL: not known */
	char *path;		/* of a whole disk, the key of its kind of path (path.h): "vhdx"; NULL: not known */
	char *link;		/* how the disk is attached: "SATA 6.0 Gbit/s", "PCIe 8.0 GT/s x4"; NULL: not known */
	uint64_t link_bytes_per_second; /* the most that the link carries, its encoding taken off; 0: not known */
	bool has_requests;	/* false: bio-based (md, dm, zram), which has no requests to time */
	bool leaf;
	bool fua, rotational;
	bool cached;		/* a loop device without direct I/O: its file's page cache answers */
	uint64_t size;
	uint64_t logical_block, physical_block;
	uint64_t max_request_bytes;
	uint64_t queue_requests;
	uint64_t hardware_queues;
	uint64_t tags;		/* commands that the driver takes at once, over all hardware queues; 0: not known */
};

/* How the blocks that a test reads came to be: of a file by FIEMAP, of a device that is only read by a sample. */
struct layout {
	bool has_extents;	/* of a file: the bytes of it that are ... */
	uint64_t written;	/* ... on the device */
	uint64_t unwritten;	/* ... allocated and never written (fallocate): reads do not reach the device */
	uint64_t holes;		/* ... not there at all */
	uint64_t elsewhere;	/* ... compressed, inline or not allocated yet: what is on the device differs */
	uint64_t extents;
	uint64_t sampled, zeros; /* of a device: blocks of 4 KiB that were read, and those of them without any bit set */
};

/*
 * Blocks read one by one, past the page cache: a random one, and at once the same again, which whatever is nearest
 * answers; ns, medians.
 */
struct nearness {
	uint64_t reads; /* of each kind; 0: it was not tried */
	uint64_t random, same;
};

/* Reads of single blocks, one after the other; ns. */
struct read_times {
	uint64_t reads; /* 0: there are none */
	uint64_t least, median, p99;
	double mean, deviation; /* of a sample: from n - 1 */
};

/*
 * The transport's floor: one block read again and again at depth 1, past the page cache, in turns with random ones by
 * the same reader, so that the two differ in nothing but the block. Whatever is nearest answers the former, so what
 * remains is the way there and back. What that means is said in floor.h.
 */
struct floor {
	struct read_times same, random;
	uint64_t asked; /* all reads of the reader, those that were not timed too */
	bool has_reached;
	uint64_t reached; /* reads that the leaves counted meanwhile, those of others too */
};

struct target {
	char *given; /* as the user wrote it */
	char *path;  /* absolute */
	enum target_kind kind;
	char *filesystem, *source, *mount_point; /* NULL for a block device */
	char *access;	     /* without a block device, the key of its kind of path (path.h): "drvfs"; else NULL */
	char *buffered;	     /* why its file is not opened with O_DIRECT: the page cache may answer; NULL: it is */
	uint64_t file_size;
	uint64_t laid_out_in; /* ns that writing every block took; 0 where nothing was written */
	struct layout layout;
	struct nearness nearness;
	struct floor floor;
	char *no_floor; /* why the floor was not measured; NULL: it was, or was not asked for */
	struct layer *layer;
	size_t layers;
	size_t members; /* so many of the first layers are the devices of one btrfs; 0: the first alone is the target's
			 */
	char **warning; /* what the report's first lines must say, such as that the file grows the VHDX */
	size_t warnings;
};

/* --- what is expected of the tests --- */

/* Rates are at least, latencies (ns) at most. ROW(id, name) */
#define IOSTRATA_MEASURES(ROW)                                                                                         \
	ROW(IOPS, "iops")                                                                                              \
	ROW(MBPS, "mbps")                                                                                              \
	ROW(LAT, "lat")                                                                                                \
	ROW(P99, "p99")                                                                                                \
	ROW(P99_9, "p99.9")

enum measure {
#define ROW(id, name) MEASURE_##id,
	IOSTRATA_MEASURES(ROW)
#undef ROW
		MEASURES
};

extern const char *const measure_name[MEASURES];

struct expectation {
	char *tests; /* a name, or a pattern with * and ?; NULL: all tests */
	enum measure measure;
	double limit; /* I/Os or 10^6 bytes per second, or ns */
};

/* --- the machine and the options --- */

/* Something that tells what this machine is: where it stands, what stood there, and what that speaks for. */
struct clue {
	char *source; /* "/proc/sys/kernel/osrelease", "CPUID 0x40000000" */
	char *value;
	char *says;   /* the key of a platform or container; NULL: it decides nothing */
};

/* The platforms are rows of host/platform.c. */
struct platform {
	char *key;	 /* "bare-metal", "wsl2", "hyperv", "kvm", "ec2", ...; NULL: not known (an older file) */
	char *name;	 /* for people: "Amazon EC2" */
	char *certainty; /* "certain", "likely" or "a guess" */
	char *container; /* that we run in on top of it: "docker"; NULL: none that shows */
	struct clue *clue;
	size_t clues;
};

struct machine {
	char *host, *os, *kernel, *architecture, *cpu;
	unsigned cpus;
	uint64_t memory;
	bool hypervisor; /* it is virtual, by what `platform` says; by the CPU alone in older files */
	char *wsl;	 /* "1" or "2"; NULL outside */
	char *clocksource;
	bool admin; /* root */
	struct platform platform;
};

struct options {
	uint64_t size, duration, warmup; /* bytes, ns, ns */
	unsigned iterations;
	enum latency_kind latency; /* what tables and CSV show */
	bool quick, write_through, trace, read_only, thread;
	bool queue; /* follow bios from Q to D, beside the device's time of requests */
	bool ios;   /* follow I/Os from call to return, too */
	uint64_t interval; /* of trace: ns between two lines; 0: none */
	uint64_t slow_from; /* of trace: I/Os of this many ns or more are kept whole; 0: just the slowest */
	char *ioengine;
	bool floor; /* the transport's floor is measured, too */
	bool sweep; /* the tests are one pattern over depths */
	struct expectation *expectation; /* --expect */
	size_t expectations;
};

/* What measuring took. */
struct observer {
	uint64_t startup;	/* ns from the first BPF call until the probes were live */
	uint64_t resident;	/* bytes, the largest resident set of iostrata itself */
	uint64_t map_bytes;	/* memory of the BPF maps */
};

struct result {
	char *version; /* of iostrata */
	char *config;
	char **command; /* argv of iostrata */
	uint64_t started;
	char stamp[16];	    /* local time, YYYYmmdd_HHMMSS: in every file's name */
	char timestamp[20]; /* the same moment, YYYY-MM-DD HH:MM:SS */
	struct machine machine;
	struct options options;
	char *engine; /* "fio" */
	char *engine_version;
	char *no_trace; /* why nothing was traced, with the cure; NULL when it was */
	bool has_observer;
	struct observer observer;
	struct target *target;
	size_t targets;
	struct test *test;
	size_t tests;
	struct run *run;
	size_t runs;
};

/* An empty result that started now; never NULL. */
struct result *result_new(void);
void result_free(struct result *result);

/* A new run at the end, all absent; valid until the next call. */
struct run *result_add_run(struct result *result);

/* Whether a program serves its file system (FUSE), and does the I/O on the block device under that. */
bool target_is_served(const struct target *target);

/* Adds a warning to a target (printf form). */
void target_warn(struct target *target, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A new check at the end of the run's. `sentence` is in printf form. found and expected may be NULL. */
void run_add_check(struct run *run, const char *name, enum check_state state, char *found, char *expected,
		   const char *sentence, ...) __attribute__((format(printf, 6, 7)));

/* The same of one that passed, and whose sentence is worth telling. */
void run_add_finding(struct run *run, const char *name, char *found, char *expected, const char *sentence, ...)
	__attribute__((format(printf, 5, 6)));

void engine_figures_free(struct engine_figures *figures);
void conditions_free(struct conditions *conditions);

/* Free what a machine, a layer or a target holds and zero it. */
void machine_clear(struct machine *machine);
void layer_clear(struct layer *layer);
void target_clear(struct target *target);
void trace_view_free(struct trace_view *view);

#endif
