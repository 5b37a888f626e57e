// SPDX-License-Identifier: GPL-2.0
#include "seconds.h"

#include "base/text.h"

static void add(struct io_second *into, const struct io_second *second)
{
	into->bytes += second->bytes;
	for (int part = 0; part < IO_PARTS; part++) {
		into->count[part] += second->count[part];
		into->sum[part] += second->sum[part];
	}
}

static void coarsen(struct io_view *view)
{
	for (size_t i = 0; i < view->seconds / 2; i++) {
		struct io_second pair = view->second[2 * i];

		add(&pair, &view->second[2 * i + 1]);
		pair.to = view->second[2 * i + 1].to;
		view->second[i] = pair;
	}
	view->seconds /= 2;
}

static bool grew(const struct io_second *second)
{
	for (int part = 0; part < IO_PARTS; part++)
		if (second->count[part])
			return true;
	return second->bytes;
}

/* What was complete when it was looked at may not have been counted yet, or twice. The next time tells. */
static bool went_back(const struct io_second *now, const struct io_second *told)
{
	bool back = now->bytes < told->bytes;

	for (int part = 0; part < IO_PARTS; part++)
		back |= now->count[part] < told->count[part] || now->sum[part] < told->sum[part];
	return back;
}

void io_seconds_add(struct io_view *view, const struct io_second *now, struct io_second *told)
{
	struct io_second grown = {.from = told->to, .to = now->to, .bytes = now->bytes - told->bytes};

	if (went_back(now, told))
		return;
	for (int part = 0; part < IO_PARTS; part++) {
		grown.count[part] = now->count[part] - told->count[part];
		grown.sum[part] = now->sum[part] - told->sum[part];
	}
	*told = *now;
	if (!grew(&grown))
		return;
	if (view->seconds == MAX_IO_SECONDS)
		coarsen(view);
	view->second = xreallocarray(view->second, view->seconds + 1, sizeof(*view->second));
	view->second[view->seconds++] = grown;
}

struct io_second io_seconds_sum(const struct io_view *view, uint64_t from, uint64_t to, bool inside)
{
	struct io_second sum = {0};
	bool any = false;

	for (size_t i = 0; i < view->seconds; i++) {
		const struct io_second *second = &view->second[i];

		if (inside ? second->from < from || second->to > to : second->to <= from || second->from >= to)
			continue;
		if (!any)
			sum.from = second->from;
		any = true;
		sum.to = second->to;
		add(&sum, second);
	}
	return sum;
}

uint64_t io_second_completed(const struct io_second *second)
{
	return second->count[IO_STAGE_DEVICE] + second->count[IO_STAGE_THROUGH];
}
