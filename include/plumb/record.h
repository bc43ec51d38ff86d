/* Recording from C, and from whatever can call C: Rust, Go, Python. What plumb/record.hpp is for C++.
 *
 *   plumb_recorder* recorder = plumb_recorder_open("run.plumb", "queue");
 *   int enqueue = plumb_recorder_function(recorder, "enqueue");
 *   plumb_recorder_log* log = plumb_recorder_thread(recorder);             once per thread
 *   plumb_recorder_call(log, enqueue, plumb_recorder_integer(7));
 *   ... the operation ...
 *   plumb_recorder_return(log, plumb_recorder_none());
 *   plumb_recorder_close(recorder);                                        $ plumb check run.plumb
 *
 * The library is libplumb_record, which needs nothing else of plumb. Many threads may use one
 * recorder, but only one at a time a log; plumb_recorder_close is for when no log is in use any more. */
#ifndef PLUMB_RECORD_H
#define PLUMB_RECORD_H

/* NOLINTBEGIN(modernize-*): this is C */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PLUMB_API __attribute__((visibility("default")))
#else
#define PLUMB_API
#endif

typedef struct plumb_recorder plumb_recorder;
typedef struct plumb_recorder_log plumb_recorder_log;

/* An argument or a result. Text is not copied here: it must stay until the function that takes the value has
 * returned. */
typedef struct plumb_recorder_value {
  int32_t kind;
  int64_t number;
  const char* text;
} plumb_recorder_value;

PLUMB_API plumb_recorder_value plumb_recorder_none(void); /* no argument, no result */
PLUMB_API plumb_recorder_value plumb_recorder_null(void);
PLUMB_API plumb_recorder_value plumb_recorder_boolean(int b);
PLUMB_API plumb_recorder_value plumb_recorder_integer(int64_t n);
PLUMB_API plumb_recorder_value plumb_recorder_string(const char* text); /* up to its zero */
PLUMB_API plumb_recorder_value plumb_recorder_bytes(const char* text, size_t size);
PLUMB_API plumb_recorder_value plumb_recorder_json(const char* text); /* any other value */

/* Records into a file, which is replaced. `model` is what it will be checked against, or NULL.
 * NULL: see plumb_recorder_error. */
PLUMB_API plumb_recorder* plumb_recorder_open(const char* path, const char* model);
/* The same with the initial value as JSON, or NULL, and a clock: "auto", "hardware", "system" or "counter". */
PLUMB_API plumb_recorder* plumb_recorder_open_with(const char* path, const char* model, const char* initial,
                                                   const char* clock);
/* A function by its name; where the recording is of several objects, of one of them. */
PLUMB_API int plumb_recorder_function(plumb_recorder* recorder, const char* name);
PLUMB_API int plumb_recorder_function_of(plumb_recorder* recorder, const char* name, const char* object);
/* A log for one thread, which lives as long as the recorder. A thread that is done may release it for another
 * one. */
PLUMB_API plumb_recorder_log* plumb_recorder_thread(plumb_recorder* recorder);
PLUMB_API void plumb_recorder_release(plumb_recorder* recorder, plumb_recorder_log* log);

/* Right before an operation, with its argument; with several of them; right after it, with its result. */
PLUMB_API void plumb_recorder_call(plumb_recorder_log* log, int function, plumb_recorder_value argument);
PLUMB_API void plumb_recorder_call_many(plumb_recorder_log* log, int function,
                                        const plumb_recorder_value* arguments, size_t count);
PLUMB_API void plumb_recorder_return(plumb_recorder_log* log, plumb_recorder_value result);
PLUMB_API void plumb_recorder_fail(plumb_recorder_log* log); /* it did not happen */
PLUMB_API void plumb_recorder_info(plumb_recorder_log* log); /* it may have happened, or may still: nobody will know */

/* 0: all is recorded so far. Otherwise there was no room any more, and the program goes on unrecorded: see
 * plumb_recorder_error. */
PLUMB_API int plumb_recorder_status(const plumb_recorder* recorder);
/* The end; no log may be used afterwards. 0: all was recorded. */
PLUMB_API int plumb_recorder_close(plumb_recorder* recorder);
/* What went wrong in the last of these functions that failed in this thread. */
PLUMB_API const char* plumb_recorder_error(void);

#ifdef __cplusplus
}
#endif
/* NOLINTEND(modernize-*) */

#endif
