// SPDX-License-Identifier: GPL-2.0
#include "probe.h"

#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "pinned.h"

#define SLEEP 50000ull /* ns */

/* --- the timer --- */

void probe_timer(struct sampling *sampling)
{
	const struct timespec span = {.tv_nsec = SLEEP};
	uint64_t begin, end;

	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	do {
		begin = clock_now();
		if (clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL))
			return;
		end = clock_now();
	} while (sampling_add(sampling, (double)(end - begin) - SLEEP) && end < sampling->until);
}

/* --- waking --- */

enum side { FIRST, SECOND, SIDES };

/* Both sides' samples are added by the first, which has been told the second's by the time that it is woken. */
struct game {
	struct sampling *sampling;
	int event[SIDES];  /* on which each side waits */
	uint64_t woken_at; /* when the side that is being woken began to be */
	double second;	   /* ns that the second side took */
	atomic_bool over;
};

static bool wake(struct game *game, enum side side)
{
	const uint64_t one = 1;

	game->woken_at = clock_now();
	return write(game->event[side], &one, sizeof(one)) == sizeof(one);
}

/* Until it is woken. What it took to be, ns; negative: it can't wait. */
static double wait_to_be_woken(struct game *game, enum side side)
{
	uint64_t count;

	if (read(game->event[side], &count, sizeof(count)) != sizeof(count))
		return -1;
	return (double)(clock_now() - game->woken_at);
}

static void *answer(void *argument)
{
	struct game *game = argument;

	do {
		game->second = wait_to_be_woken(game, SECOND);
	} while (game->second >= 0 && !atomic_load(&game->over) && wake(game, FIRST));
	return NULL;
}

static void *ask(void *argument)
{
	struct game *game = argument;
	struct sampling *sampling = game->sampling;
	double first;

	while (clock_now() < sampling->until && wake(game, SECOND)) {
		first = wait_to_be_woken(game, FIRST);
		if (first < 0 || !sampling_add(sampling, game->second) || !sampling_add(sampling, first))
			break;
	}
	return NULL;
}

static void play(struct game *game, size_t first_cpu, size_t second_cpu)
{
	pthread_t asking, answering;

	if (pinned_start(&answering, second_cpu, answer, game))
		return;
	if (!pinned_start(&asking, first_cpu, ask, game))
		pthread_join(asking, NULL);
	atomic_store(&game->over, true);
	wake(game, SECOND);
	pthread_join(answering, NULL);
}

void probe_wake(struct sampling *sampling, size_t first_cpu, size_t second_cpu)
{
	struct game game = {.sampling = sampling, .event = {eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC)}};

	if (game.event[FIRST] >= 0 && game.event[SECOND] >= 0)
		play(&game, first_cpu, second_cpu);
	for (int side = 0; side < SIDES; side++)
		if (game.event[side] >= 0)
			close(game.event[side]);
}
