/* A queue of C, used by three threads and recorded:  ./record_queue run.plumb && plumb check run.plumb */
#include <plumb/record.h>

#include <pthread.h>
#include <stdio.h>

enum { kThreads = 3, kOperations = 10000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t items[kThreads * kOperations];
static size_t first, last;

static void enqueue(int64_t value) {
  pthread_mutex_lock(&lock);
  items[last++] = value;
  pthread_mutex_unlock(&lock);
}

static int dequeue(int64_t* value) {
  int found;
  pthread_mutex_lock(&lock);
  found = first != last;
  if (found) *value = items[first++];
  pthread_mutex_unlock(&lock);
  return found;
}

struct worker {
  pthread_t thread;
  plumb_recorder* recorder;
  int enqueue, dequeue, number;
};

static void* work(void* data) {
  struct worker* self = data;
  plumb_recorder_log* log = plumb_recorder_thread(self->recorder);
  int64_t i, value;
  for (i = 0; i < kOperations; ++i) {
    if (i % 2 == 0) {
      value = i * kThreads + self->number; /* each value once: then checking takes no time */
      plumb_recorder_call(log, self->enqueue, plumb_recorder_integer(value));
      enqueue(value);
      plumb_recorder_return(log, plumb_recorder_none());
    } else {
      int found;
      plumb_recorder_call(log, self->dequeue, plumb_recorder_none());
      found = dequeue(&value);
      plumb_recorder_return(log, found ? plumb_recorder_integer(value) : plumb_recorder_null());
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  struct worker workers[kThreads];
  plumb_recorder* recorder;
  int i;
  if (argc != 2) return fprintf(stderr, "usage: %s FILE\n", argv[0]), 2;
  recorder = plumb_recorder_open(argv[1], "queue");
  if (recorder == NULL) return fprintf(stderr, "%s\n", plumb_recorder_error()), 2;
  for (i = 0; i < kThreads; ++i) {
    workers[i].recorder = recorder;
    workers[i].enqueue = plumb_recorder_function(recorder, "enqueue");
    workers[i].dequeue = plumb_recorder_function(recorder, "dequeue");
    workers[i].number = i;
    if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) return 1;
  }
  for (i = 0; i < kThreads; ++i) pthread_join(workers[i].thread, NULL);
  if (plumb_recorder_close(recorder) != 0) return fprintf(stderr, "%s\n", plumb_recorder_error()), 1;
  return 0;
}
