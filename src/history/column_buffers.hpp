// Columns of operations on their way from a reader to the builder.
#pragma once

#include <vector>

#include <plumb/history.hpp>

namespace plumb {

struct ColumnBuffers {
  std::vector<Value> processes;
  std::vector<OperationHead> heads;
  std::vector<Value> arguments;
  std::vector<Value> results;
  std::vector<Value> objects;
  std::vector<Time> calls;
  std::vector<Time> returns;

  void give_to(HistoryBuilder& builder) const {
    builder.append({.process = processes,
                    .head = heads,
                    .arguments = arguments,
                    .result = results,
                    .call = calls,
                    .ret = returns,
                    .object = objects});
  }
  void clear() {
    processes.clear();
    heads.clear();
    arguments.clear();
    results.clear();
    objects.clear();
    calls.clear();
    returns.clear();
  }
};

}  // namespace plumb
