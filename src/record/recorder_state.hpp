// What a recorder holds: its blocks, its logs, and the log of its own that names functions.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <plumb/record.hpp>

#include "record/storage.hpp"

namespace plumb {

struct Recorder::State {
  RecorderOptions options;
  std::string path;  // empty: in memory
  std::unique_ptr<Storage> storage;
  MemoryStorage* memory = nullptr;  // the same, if it is that
  std::size_t page = 4096;          // blocks are multiples of it: those of a file are mapped one by one

  mutable std::mutex mutex;  // for what follows, but for
  mutable std::mutex lost_mutex;
  std::unique_ptr<Error> lost;
  std::unique_ptr<ThreadLog> names;     // of functions
  std::unique_ptr<ThreadLog> ends_log;  // has one slot,
  LogSlot* ends = nullptr;              //   which says where all that is known ends
  std::vector<std::unique_ptr<ThreadLog>> logs;
  std::map<std::pair<std::string, std::string>, std::uint32_t, std::less<>> functions;
  std::vector<std::pair<std::string, std::string>> function_names;
  bool closed = false;

  alignas(128) std::atomic<std::uint64_t> counter = 1;
};

}  // namespace plumb
