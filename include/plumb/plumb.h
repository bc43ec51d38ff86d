/* Checking from C, and from whatever can call C: Go, Rust, Java. What plumb/check.hpp is for C++.
 *
 *   plumb_histories* run = plumb_read("run.jsonl", NULL);
 *   plumb_verdict* verdict = plumb_check(run, 0, "queue", NULL);
 *   if (plumb_outcome(verdict) == PLUMB_VIOLATION) puts(plumb_explain(verdict));
 *   plumb_verdict_free(verdict);
 *   plumb_histories_free(run);
 *
 * The library is libplumb_c. A function that returns a pointer returns NULL where it fails, and one that returns int something
 * else than 0; plumb_error says why, with file, line and column. Every thread may use histories and verdicts, several at once but for
 * plumb_explain and plumb_builder_…, which are for one thread at a time. */
#ifndef PLUMB_PLUMB_H
#define PLUMB_PLUMB_H

/* NOLINTBEGIN(modernize-*): this is C */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(PLUMB_API)
#define PLUMB_API __attribute__((visibility("default")))
#elif !defined(PLUMB_API)
#define PLUMB_API
#endif

/* The histories of a file, a text or a builder, numbered from 0. */
typedef struct plumb_histories plumb_histories;
typedef struct plumb_builder plumb_builder;
typedef struct plumb_verdict plumb_verdict;

/* "-" is standard input. `format`: a name from docs/formats.md; NULL: it is recognised. */
PLUMB_API plumb_histories* plumb_read(const char* path, const char* format);
PLUMB_API plumb_histories* plumb_parse(const char* bytes, size_t size, const char* format);
PLUMB_API size_t plumb_count(const plumb_histories* histories);
PLUMB_API size_t plumb_operations(const plumb_histories* histories, size_t history);
PLUMB_API void plumb_histories_free(plumb_histories* histories); /* verdicts about them stay */

/* A history, operation by operation, in any order. Values are JSON: arguments "[1,2]" (NULL: none), result "true" (NULL: none was
 * recorded). Times are in any unit; PLUMB_PENDING: it never returned. What is wrong with an operation is told at once, or, as the first of all
 * such, by plumb_builder_finish: the operations' numbers from 1 are the lines. After that the builder is gone. */
#define PLUMB_PENDING INT64_MAX
PLUMB_API plumb_builder* plumb_builder_new(const char* model,
                                           const char* initial); /* NULL: not known; null */
PLUMB_API int plumb_builder_add(plumb_builder* builder, int64_t process, const char* function,
                                const char* arguments, const char* result, int64_t call, int64_t ret);
PLUMB_API plumb_histories* plumb_builder_finish(plumb_builder* builder);

/* What a check may use: 0 is no limit, and no error of the clocks. Zero all of it first; members may be added at the end, so `size` is
 * sizeof(plumb_options). */
typedef struct plumb_options {
  size_t size;
  double timeout;     /* seconds */
  uint64_t memory;    /* bytes for the search */
  uint32_t jobs;      /* threads; 0: one per core */
  uint32_t time_unit; /* of the times: PLUMB_NANOSECONDS … */
  double clock_error; /* milliseconds that every time may be off by, as clocks of several machines are */
} plumb_options;
enum { PLUMB_NANOSECONDS, PLUMB_MICROSECONDS, PLUMB_MILLISECONDS, PLUMB_SECONDS };

/* As the command exits: 0, 1 and 3. */
enum { PLUMB_LINEARIZABLE = 0, PLUMB_VIOLATION = 1, PLUMB_UNKNOWN = 3 };

/* `model`: its name; NULL: what the history names. `options`: NULL for none. */
PLUMB_API plumb_verdict* plumb_check(const plumb_histories* histories, size_t history, const char* model,
                                     const plumb_options* options);
PLUMB_API int plumb_outcome(const plumb_verdict* verdict);
/* Of a violation: which result is impossible, and what was allowed. Otherwise: why this engine, or which budget was spent. */
PLUMB_API const char* plumb_reason(const plumb_verdict* verdict);
/* Of a violation: operations that prove it by themselves, numbered from 0 as they stand in the input, ascending. */
PLUMB_API size_t plumb_core(const plumb_verdict* verdict, const uint32_t** operations);
/* Of a linearizable history: an order that proves it. */
PLUMB_API size_t plumb_order(const plumb_verdict* verdict, const uint32_t** operations);
/* What `plumb explain` prints, for people. NULL where it fails. All of these texts stay as long as the verdict. */
PLUMB_API const char* plumb_explain(plumb_verdict* verdict);
PLUMB_API void plumb_verdict_free(plumb_verdict* verdict);

/* What went wrong in the last of these functions that failed in this thread. */
PLUMB_API const char* plumb_error(void);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*) */

#endif
