/* SPDX-License-Identifier: GPL-2.0 */
/* What doctor found as JSON, described by tests/doctor.schema.json. It is only written: nothing reads it back. */
#ifndef RESULT_FILE_DIAGNOSIS_H
#define RESULT_FILE_DIAGNOSIS_H

#include "diagnosis.h"

#define DIAGNOSIS_SCHEMA_VERSION 1

/* The caller frees it. */
char *diagnosis_to_json(const struct diagnosis *diagnosis);

#endif
