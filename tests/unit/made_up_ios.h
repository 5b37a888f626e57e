/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program's I/Os for the made-up runs: made_up_ios() adds them to a run of made_up_run(), made_up_program() is the
 * result of a traced program. Include made_up_result.h.
 */
#ifndef TEST_MADE_UP_IOS_H
#define TEST_MADE_UP_IOS_H

/* --- the program's I/Os --- */

#define MADE_UP_SLOWEST 8
#define MADE_UP_SECONDS 3

/* The I/Os of one op while they are made up: what is known of them, and what of that came in which second. */
struct made_up_ios {
	struct io_view *view;
	struct hist came[MADE_UP_SECONDS][IO_STAGES];
};

static struct made_up_ios *made_up_ios_begin(struct trace_view *trace, enum io_op op)
{
	struct made_up_ios *ios = xcalloc(1, sizeof(*ios));

	ios->view = trace->io[op] = xcalloc(1, sizeof(*ios->view));
	return ios;
}

/* `count` I/Os that are joined, with these stages. A stage of 0 is one that they don't have. The total is set. */
static void made_up_add_ios(struct made_up_ios *ios, size_t second, uint64_t stage[IO_STAGES], uint64_t count)
{
	struct latency_row *row;

	stage[IO_STAGE_TOTAL] = 0;
	for (int part = 0; part < IO_PARTS; part++)
		stage[IO_STAGE_TOTAL] += stage[part];
	row = &ios->view->row[latency_row_of(stage[IO_STAGE_TOTAL])];
	row->count += count;
	for (int part = 0; part < IO_PARTS; part++)
		row->sum[part] += count * stage[part];
	for (int i = 0; i < IO_STAGES; i++) {
		if (!stage[i] || !count)
			continue;
		hist_add(&ios->view->stage[i], stage[i], count);
		hist_add(&ios->came[second][i], stage[i], count);
	}
	ios->view->counts.end[IO_END_JOINED] += count;
}

static void made_up_second(struct course *course, const struct hist *came, uint64_t at)
{
	struct second *second = &course->second[course->seconds];

	if (!came->count)
		return;
	second->at = at;
	second->grown = xcalloc(HIST_BUCKETS, sizeof(*second->grown));
	for (uint32_t bucket = 0; bucket < HIST_BUCKETS; bucket++)
		if (came->bucket[bucket])
			second->grown[second->buckets++] = (struct grown){bucket, came->bucket[bucket]};
	course->seconds++;
}

/* Frees `ios`; what is known of them stays with the trace. `size` bytes each, in `requests` requests. */
static void made_up_ios_end(struct made_up_ios *ios, enum io_way way, uint64_t size, uint64_t requests)
{
	struct io_view *view = ios->view;
	uint64_t joined = view->counts.end[IO_END_JOINED];

	view->counts.called = view->counts.way[way] = io_ended(view) + view->in_flight_at_end;
	view->counts.bytes = joined * size;
	view->counts.requests = joined * requests;
	view->counts.note[IO_NOTE_SPLIT] = requests > 1 ? joined : 0;
	for (int stage = 0; stage < IO_STAGES; stage++) {
		view->course[stage].second = xcalloc(MADE_UP_SECONDS, sizeof(struct second));
		for (size_t i = 0; i < MADE_UP_SECONDS; i++)
			made_up_second(&view->course[stage], &ios->came[i][stage], (i + 1) * 1001000000);
	}
	free(ios);
}

/* An I/O with these stages that was called at `called`. */
static struct io_record made_up_record(enum io_op op, enum io_way way, uint64_t called, const uint64_t stage[IO_STAGES])
{
	uint64_t queued = called + stage[IO_STAGE_SUBMIT], issued = queued + stage[IO_STAGE_QUEUE];
	uint64_t complete = issued + stage[IO_STAGE_DEVICE], synced = complete + stage[IO_STAGE_SYNC];
	uint64_t asked = way == IO_WAY_CALL ? called : issued + stage[IO_STAGE_DOORBELL] + 100;
	uint64_t ready = synced + stage[IO_STAGE_UNREAPED];
	struct io_record record = {
		.boundary =
			{
				[BOUNDARY_CALL] = called,
				[BOUNDARY_QUEUE] = queued,
				[BOUNDARY_ISSUE] = issued,
				[BOUNDARY_COMPLETE] = complete,
				[BOUNDARY_SYNCED] = synced,
				[BOUNDARY_ASK] = stage[IO_STAGE_UNREAPED] ? ready : asked,
				[BOUNDARY_RETURN] = ready + stage[IO_STAGE_DELIVER],
			},
		.first_issue = issued - stage[IO_STAGE_SPREAD],
		.last_complete = complete,
		.requests = stage[IO_STAGE_SPREAD] ? 2 : 1,
		.op = op,
		.way = way,
		.end = IO_END_JOINED,
		.thread = 4242,
		.call_cpu = 1,
		.issue_cpu = 1,
		.complete_cpu = 3,
		.return_cpu = 2,
	};

	if (stage[IO_STAGE_DOORBELL])
		record.boundary[BOUNDARY_DOORBELL] = issued + stage[IO_STAGE_DOORBELL];
	if (stage[IO_STAGE_WAKE])
		record.boundary[BOUNDARY_WAKE] = ready + stage[IO_STAGE_WAKE];
	if (stage[IO_STAGE_SPREAD])
		record.notes |= 1 << IO_NOTE_SPLIT;
	if (stage[IO_STAGE_SYNC])
		record.notes |= 1 << IO_NOTE_FLUSHED;
	return record;
}

/* The stages of an I/O whose total is `total`, at least the median: what it took longer was the device's, mostly. */
static void made_up_io(const struct made_up *row, uint64_t total, uint64_t stage[IO_STAGES])
{
	uint64_t rest = row->p50[LATENCY_LAT] - row->device, over = total - row->p50[LATENCY_LAT];
	bool deep = row->depth > 1;

	memset(stage, 0, IO_STAGES * sizeof(*stage));
	stage[IO_STAGE_SUBMIT] = rest / 5;
	stage[IO_STAGE_QUEUE] = rest * 3 / 10 + over / 5;
	stage[IO_STAGE_DEVICE] = row->device + over / 10 * 7;
	stage[IO_STAGE_UNREAPED] = deep ? rest / 10 : 0;
	stage[IO_STAGE_DELIVER] = total - stage[IO_STAGE_SUBMIT] - stage[IO_STAGE_QUEUE] - stage[IO_STAGE_DEVICE] -
				  stage[IO_STAGE_UNREAPED];
	stage[IO_STAGE_SPREAD] = row->block_size > 524288 ? stage[IO_STAGE_QUEUE] / 2 : 0;
	stage[IO_STAGE_DOORBELL] = row->device / 8;
	if (deep)
		return; /* the next completion is there before the thread sleeps */
	stage[IO_STAGE_WAKE] = stage[IO_STAGE_DELIVER] * 2 / 3;
	stage[IO_STAGE_RUNQ] = stage[IO_STAGE_DELIVER] - stage[IO_STAGE_WAKE];
}

/* The slowest ones, each a sixteenth of the 99.9th percentile slower than the next. */
static void made_up_slowest(struct trace_view *trace, struct made_up_ios *ios, const struct made_up *row, enum io_op op)
{
	trace->slowest_count = MADE_UP_SLOWEST;
	trace->slowest = xcalloc(MADE_UP_SLOWEST, sizeof(*trace->slowest));
	for (size_t i = 0; i < MADE_UP_SLOWEST; i++) {
		struct io_record *record = &trace->slowest[i];
		uint64_t stage[IO_STAGES];

		made_up_io(row, row->p99_9[LATENCY_LAT] / 16 * (16 + MADE_UP_SLOWEST - i), stage);
		made_up_add_ios(ios, MADE_UP_SECONDS - 1, stage, 1);
		*record = made_up_record(op, IO_WAY_LIBAIO, 2100000000 + i * 90000000, stage);
		strcpy(record->command, "fio");
		record->bytes = (uint32_t)row->block_size;
		record->sector = 2048 + i * 131072;
		record->company[CLASS_DATA] = (uint16_t)(row->depth * row->jobs - 1);
		record->idle = record->company[CLASS_DATA] ? 0 : 7000 + i;
	}
}

/*
 * What the probes saw of the I/Os of a made_up_run(), beside the requests: as many as fio reports, by libaio, all of
 * them joined. Nobody else is on the disk.
 *
 * 99 % of them take fio's median, 0.9 % its 99th, 0.1 % its 99.9th percentile, and the MADE_UP_SLOWEST slowest, which
 * are whole records, up to half as much again. The usual ones came in the first two seconds, the 99th percentile's in
 * the second, the slowest ones in the third. For every I/O the parts add up to the total; so do the sums of the
 * histograms and of the rows, and the ends add up to `called`. Stages that an I/O can't have (through, sync, throttled,
 * batch; of depth 1 unreaped, of others wake and runq) are empty. The layers' figures stay as they are.
 */
static __attribute__((unused)) void made_up_ios(struct run *run)
{
	const struct made_up *row = &made_up[run->test];
	enum io_op op = row->access == ACCESS_WRITE ? IO_OP_WRITE : IO_OP_READ;
	struct made_up_ios *ios = made_up_ios_begin(run->trace, op);
	uint64_t joined = run->engine->direction[op].ios, slower = joined * 9 / 1000, slowest = joined / 1000;
	uint64_t stage[IO_STAGES], usual = joined - slower - slowest;

	run->trace->ios = true;
	made_up_io(row, row->p50[LATENCY_LAT], stage);
	made_up_add_ios(ios, 0, stage, usual / 2);
	made_up_add_ios(ios, 1, stage, usual - usual / 2);
	made_up_io(row, row->p99[LATENCY_LAT], stage);
	made_up_add_ios(ios, 1, stage, slower);
	made_up_io(row, row->p99_9[LATENCY_LAT], stage);
	made_up_add_ios(ios, 2, stage, slowest - MADE_UP_SLOWEST);
	made_up_slowest(run->trace, ios, row, op);
	made_up_ios_end(ios, IO_WAY_LIBAIO, row->block_size, row->block_size > 524288 ? 2 : 1);
}

/* --- a traced program --- */

#define MADE_UP_WRITES	  2000
#define MADE_UP_SLOW_FROM 3000000

/* Direct synchronous writes, each 400 us slower in its flush than the one before it from the ninth last on. */
static void made_up_writes(struct trace_view *trace)
{
	struct made_up_ios *ios = made_up_ios_begin(trace, IO_OP_WRITE);
	uint64_t stage[IO_STAGES] = {
		[IO_STAGE_SUBMIT] = 9000, [IO_STAGE_QUEUE] = 4000,    [IO_STAGE_DEVICE] = 310000,
		[IO_STAGE_SYNC] = 520000, [IO_STAGE_DELIVER] = 12000, [IO_STAGE_DOORBELL] = 2500,
		[IO_STAGE_WAKE] = 8000,	  [IO_STAGE_RUNQ] = 4000,
	};

	made_up_add_ios(ios, 0, stage, MADE_UP_WRITES - MADE_UP_SLOWEST);
	trace->slowest_count = MADE_UP_SLOWEST;
	trace->slowest = xcalloc(MADE_UP_SLOWEST, sizeof(*trace->slowest));
	trace->slow = xcalloc(MADE_UP_SLOWEST, sizeof(*trace->slow));
	for (size_t i = MADE_UP_SLOWEST; i-- > 0;) {
		struct io_record *record = &trace->slowest[i];

		stage[IO_STAGE_SYNC] += 400000;
		made_up_add_ios(ios, 2, stage, 1);
		*record = made_up_record(IO_OP_WRITE, IO_WAY_CALL, 2900000000 - i * 50000000, stage);
		strcpy(record->command, "keeper");
		record->bytes = 4096;
		record->sector = 8192 + i * 8;
		record->company[CLASS_JOURNAL] = 2;
		record->company[CLASS_OTHERS] = (uint16_t)i;
		if (stage[IO_STAGE_TOTAL] >= MADE_UP_SLOW_FROM)
			trace->slow[trace->slow_count++] = *record;
	}
	ios->view->counts.note[IO_NOTE_FLUSHED] = MADE_UP_WRITES;
	made_up_ios_end(ios, IO_WAY_CALL, 4096, 1);
}

/* One for each of them. */
static void made_up_flushes(struct layer_view *disk)
{
	struct op_view *view = disk->op[OP_FLUSH] = xcalloc(1, sizeof(*view));

	view->issues = view->completions = MADE_UP_WRITES;
	made_up_stage(view, STAGE_DEVICE, 515000, MADE_UP_WRITES);
	disk->stat[STAT_FLUSH] = (struct stat_delta){.ios = MADE_UP_WRITES, .time = MADE_UP_WRITES * 515000ull};
}

static struct call_view *made_up_call(struct trace_view *trace, enum call call, uint64_t count, uint64_t time)
{
	struct call_view *view = trace->call[call] = xcalloc(1, sizeof(*view));

	view->counts.calls = count;
	hist_add(&view->time, time, count);
	return view;
}

/* The writes, buffered reads of which a few go to the disk, and what syncing waits for. */
static void made_up_calls(struct trace_view *trace)
{
	struct call_view *call = made_up_call(trace, CALL_WRITE, 0, 0);

	call->time = trace->io[IO_OP_WRITE]->stage[IO_STAGE_TOTAL];
	call->counts.calls = call->counts.direct = MADE_UP_WRITES;
	call->counts.bytes = MADE_UP_WRITES * 4096;
	call->counts.bios[OP_WRITE] = (struct bio_counts){MADE_UP_WRITES, MADE_UP_WRITES * 4096};
	call->counts.clock[CLASS_DATA] = MADE_UP_WRITES * 310000;
	call->counts.clock[CLASS_FLUSH] = MADE_UP_WRITES * 520000;

	call = made_up_call(trace, CALL_READ, 5000, 2500);
	call->counts.failed = 3;
	call->counts.bytes = 5000 * 1024;
	call->counts.bios[OP_READ] = (struct bio_counts){40, 40 * 131072};
	call->counts.clock[CLASS_DATA] = 5200000;

	call = made_up_call(trace, CALL_FSYNC, 40, 1700000);
	call->counts.bios[OP_WRITE] = (struct bio_counts){60, 60 * 65536};
	call->counts.clock[CLASS_DATA] = 40 * 400000;
	call->counts.clock[CLASS_OTHERS] = 40 * 30000;
	call->counts.clock[CLASS_JOURNAL] = 40 * 250000;
	call->counts.clock[CLASS_FLUSH] = 40 * 900000;
}

static void made_up_foreigner(struct trace_view *trace, const char *command, enum foreigner_kind kind, enum op op,
			      struct bio_counts counts)
{
	struct foreign_view *foreigner = &trace->foreigner[trace->foreigners++];

	foreigner->command = command ? xstrdup(command) : NULL;
	foreigner->kind = kind;
	foreigner->op[op] = counts;
}

/* Who else was there, most bytes first, and the same by owner. */
static void made_up_foreigners(struct trace_view *trace)
{
	trace->foreigner = xcalloc(4, sizeof(*trace->foreigner));
	made_up_foreigner(trace, "writeback", FOREIGNER_WRITEBACK, OP_WRITE, (struct bio_counts){30, 30 * 262144});
	made_up_foreigner(trace, "backup", FOREIGNER_PROCESS, OP_READ, (struct bio_counts){25, 25 * 131072});
	made_up_foreigner(trace, "jbd2/nvme0n1p2-", FOREIGNER_JOURNAL, OP_WRITE, (struct bio_counts){80, 80 * 8192});
	made_up_foreigner(trace, NULL, FOREIGNER_PROCESS, OP_READ, (struct bio_counts){2, 8192});
	trace->queued[OWNER_WORKLOAD][OP_READ] = trace->call[CALL_READ]->counts.bios[OP_READ];
	trace->queued[OWNER_WORKLOAD][OP_WRITE] =
		(struct bio_counts){MADE_UP_WRITES + 60, MADE_UP_WRITES * 4096 + 60 * 65536};
	trace->queued[OWNER_OTHERS][OP_READ] = (struct bio_counts){27, 25 * 131072 + 8192};
	trace->queued[OWNER_WRITEBACK][OP_WRITE] = (struct bio_counts){30, 30 * 262144};
	trace->queued[OWNER_JOURNAL][OP_WRITE] = (struct bio_counts){80, 80 * 8192};
}

static void made_up_disks(struct target *target)
{
	free(target->given);
	free(target->path);
	free(target->filesystem);
	free(target->source);
	free(target->mount_point);
	free(target->buffered);
	*target = (struct target){
		.given = xstrdup("nvme0n1"),
		.kind = TARGET_DISKS,
		.layer = target->layer,
		.layers = target->layers,
	};
}

/*
 * What `iostrata trace -- keeper --fast` gives: no tests, no engine, one run without a test. The program makes
 * MADE_UP_WRITES direct synchronous writes of 4 KiB, 5,000 buffered reads and 40 calls of fsync(); of its writes those
 * of MADE_UP_SLOW_FROM ns or longer, three of the MADE_UP_SLOWEST slowest, are in `slow` too. The journal, writeback
 * and two processes are on the disk beside it. All sums are as in made_up_ios(). The program ends with status 3.
 */
static __attribute__((unused)) struct result *made_up_program(void)
{
	const struct made_up row = {.access = ACCESS_WRITE, .block_size = 4096, .device = 310000};
	struct result *result = made_up_result(1);
	struct run *run = result_add_run(result);

	strings_free(result->command);
	result->command = made_up_command("iostrata", "trace");
	made_up_disks(&result->target[0]);
	free(result->engine);
	free(result->engine_version);
	free(result->options.ioengine);
	result->engine = result->engine_version = NULL;
	result->tests = 0;
	result->options = (struct options){
		.iterations = 1,
		.trace = true,
		.queue = true,
		.ios = true,
		.interval = 1000000000,
		.slow_from = MADE_UP_SLOW_FROM,
	};
	*run = (struct run){
		.test = NO_TEST,
		.iteration = 1,
		.state = RUN_DONE,
		.started = result->started,
		.elapsed = 3004000000,
		.command = made_up_command("keeper", "--fast"),
		.has_status = true,
		.status = 3,
		.trace = made_up_trace(&row, MADE_UP_WRITES + 60),
	};
	run->trace->recorded = 3003500000;
	run->trace->ios = true;
	made_up_flushes(&run->trace->leaf[0]);
	made_up_writes(run->trace);
	made_up_calls(run->trace);
	made_up_foreigners(run->trace);
	return result;
}

#endif
