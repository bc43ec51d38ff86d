/* A history of two processes and a queue, built and checked in C; and the histories of a file, if one is named:  ./check run.jsonl */
#include <plumb/plumb.h>

#include <stdio.h>

static int told(plumb_histories* histories, size_t index, const char* model) {
  plumb_options options = {0};
  const uint32_t* core;
  size_t size, i;
  int outcome;
  plumb_verdict* verdict;
  options.size = sizeof options;
  options.timeout = 10;
  verdict = plumb_check(histories, index, model, &options);
  if (verdict == NULL) {
    fprintf(stderr, "%s\n", plumb_error());
    return 2;
  }
  outcome = plumb_outcome(verdict);
  printf("%s: %s\n", outcome == PLUMB_LINEARIZABLE ? "linearizable" : outcome == PLUMB_VIOLATION ? "violation" : "unknown",
         plumb_reason(verdict));
  size = plumb_core(verdict, &core);
  for (i = 0; i < size; ++i) printf("operation %u is in the core\n", (unsigned)core[i]);
  if (outcome == PLUMB_VIOLATION) puts(plumb_explain(verdict));
  plumb_verdict_free(verdict);
  return outcome;
}

int main(int argc, char** argv) {
  size_t i;
  int worst = 0, status;
  plumb_histories* histories;
  if (argc > 1) {
    histories = plumb_read(argv[1], NULL);
  } else {
    plumb_builder* builder = plumb_builder_new("queue", NULL);
    plumb_builder_add(builder, 0, "enqueue", "[1]", NULL, 0, 5);
    plumb_builder_add(builder, 0, "enqueue", "[2]", NULL, 6, 8);
    plumb_builder_add(builder, 1, "dequeue", NULL, "2", 9, 12); /* 1 was first */
    plumb_builder_add(builder, 1, "dequeue", NULL, NULL, 13, PLUMB_PENDING);
    histories = plumb_builder_finish(builder);
  }
  if (histories == NULL) {
    fprintf(stderr, "%s\n", plumb_error());
    return 2;
  }
  for (i = 0; i < plumb_count(histories); ++i) {
    status = told(histories, i, NULL);
    if (status > worst) worst = status;
  }
  plumb_histories_free(histories);
  return worst;
}
