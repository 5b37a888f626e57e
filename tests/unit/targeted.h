/* SPDX-License-Identifier: GPL-2.0 */
/* The target of a run of checked.h, and the run as that of a traced program. Include checked.h first. */
#ifndef TEST_TARGETED_H
#define TEST_TARGETED_H

static __attribute__((unused)) struct layer *add_facts(const char *name)
{
	struct target *target = &result->target[0];
	struct layer *layer;

	target->layer = xreallocarray(target->layer, target->layers + 1, sizeof(*target->layer));
	layer = &target->layer[target->layers++];
	*layer = (struct layer){.name = xstrdup(name), .has_requests = true};
	return layer;
}

/* A file on sda. Facts of further layers are to be added; what add_facts() gave before is not valid then. */
static __attribute__((unused)) struct target *add_target(enum target_kind kind)
{
	result->target = xcalloc(1, sizeof(*result->target));
	result->targets = 1;
	result->target[0].kind = kind;
	result->target[0].path = xstrdup("/mnt/fast");
	add_facts("sda")->leaf = true;
	return &result->target[0];
}

/* A loop device of a file on sda, which passed on what came to it. */
static __attribute__((unused)) struct layer *add_loop(enum op op)
{
	struct layer *facts = add_facts("loop0");

	facts->backing_file = xstrdup("/images/a");
	fill_leaf(add_above("loop0"), op);
	free(run->trace->top);
	run->trace->top = xstrdup("loop0");
	return facts;
}

#define MIB (1ull << 20)

/* All figures of one direction are these many bytes: of the engine, at the top and on the leaf. */
static __attribute__((unused)) void move_bytes(enum op op, uint64_t bytes)
{
	run->engine->direction[op].bytes = bytes;
	run->trace->queued[OWNER_WORKLOAD][op].bytes = bytes;
	layer_op(&run->trace->leaf[0], op)->issued_bytes = bytes;
	for (size_t i = 0; i < run->trace->aboves; i++)
		layer_op(&run->trace->above[i], op)->issued_bytes = bytes;
}

/* The run of a program, which moves these many bytes by calls, the direct ones among them, that are I/Os. */
static __attribute__((unused)) void make_program(enum op op, uint64_t bytes, uint64_t direct)
{
	struct call_view *call = run->trace->call[op == OP_READ ? CALL_READ : CALL_WRITE] = xcalloc(1, sizeof(*call));

	if (run->engine) {
		engine_figures_free(run->engine);
		run->engine = NULL;
	}
	run->command = xcalloc(1, sizeof(*run->command));
	run->trace->ios = true;
	call->counts.bytes = bytes;
	call->counts.calls = bytes / 4096;
	if (!direct)
		return;
	call->counts.direct = direct / 4096;
	fill_ios(op)->counts.bytes = direct;
}

static __attribute__((unused)) void assert_check(const char *name, enum check_state state, const char *part)
{
	judge(run->engine ? &read_test : NULL);
	assert_state(nth_check(name, count_checks(name) - 1), state);
	assert_has(nth_check(name, count_checks(name) - 1)->sentence, part);
}

#endif
