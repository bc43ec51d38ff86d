// What the blocks of the pages take for granted: a queue, a history, a verdict.
#pragma once

#include <atomic>
#include <cstdio>
#include <optional>

#include <gtest/gtest.h>

#include <plumb/check.hpp>
#include <plumb/object_model.hpp>
#include <plumb/plumb.hpp>

#ifndef PLUMB_PAGE_HAS_A_QUEUE
struct Queue {
  void enqueue(int value);
  std::optional<int> dequeue();
  void push(int value);
  std::optional<int> pop();
  std::optional<int> try_pop();
};
#endif

struct Latch {
  void count_down();
  void wait();
};

struct Cell {
  std::atomic<int> value;
};
