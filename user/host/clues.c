// SPDX-License-Identifier: GPL-2.0
#include "clues.h"

#include <string.h>

#include "base/text.h"

void clues_add(struct clues *clues, enum witness witness, enum weight weight, const char *says, const char *source,
	       const char *value)
{
	size_t last = clues->count;

	if (!value)
		return;
	clues->clue = xreallocarray(clues->clue, last + 1, sizeof(*clues->clue));
	clues->testimony = xreallocarray(clues->testimony, last + 1, sizeof(*clues->testimony));
	clues->clue[last] = (struct clue){
		.source = xstrdup(source),
		.value = xstrdup(value),
		.says = says ? xstrdup(says) : NULL,
	};
	clues->testimony[last] = (struct testimony){.witness = witness, .weight = says ? weight : WEIGHT_NONE};
	clues->count++;
}

enum weight clues_weight(const struct clues *clues, enum witness witness, const char *key)
{
	enum weight most = WEIGHT_NONE;

	for (size_t i = 0; i < clues->count; i++)
		if (clues->testimony[i].witness == witness && clues->clue[i].says &&
		    strcmp(clues->clue[i].says, key) == 0 && clues->testimony[i].weight > most)
			most = clues->testimony[i].weight;
	return most;
}
