// Records what several clients of a Redis server do and get:
//
//   redis_clients PORT register|queue FILE [CLIENTS [OPERATIONS]]
//
// `run` starts a server of its own, and checks what came of it.
#include <plumb/record.hpp>

#include <atomic>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "redis.hpp"

namespace {

using plumb::LogValue;
using redis::Reply;

struct Operation {
  plumb::RecordedFunction function;
  std::function<std::optional<Reply>(redis::Connection&, const std::string& value)> send;
  bool takes_value;
};

std::vector<Operation> operations(plumb::Recorder& recorder, bool is_queue) {
  if (is_queue) {
    return {{recorder.function("enqueue"),
             [](auto& server, auto& v) {
               return server.command({"RPUSH", "queue", v});
             },
             true},
            {recorder.function("dequeue"),
             [](auto& server, auto&) {
               return server.command({"LPOP", "queue"});
             },
             false}};
  }
  return {{recorder.function("write"),
           [](auto& server, auto& v) {
             return server.command({"SET", "register", v});
           },
           true},
          {recorder.function("read"),
           [](auto& server, auto&) {
             return server.command({"GET", "register"});
           },
           false}};
}

// One operation, recorded. False: the connection is of no use any more.
bool perform(plumb::ThreadLog& log, redis::Connection& server, const Operation& operation, int value) {
  if (operation.takes_value) {
    log.call(operation.function, value);
  } else {
    log.call(operation.function);
  }
  const auto reply = operation.send(server, std::to_string(value));
  if (!reply) return log.info(), false;  // it may have been executed, or may still be
  if (reply->kind == Reply::Kind::kError) return log.fail(), true;
  if (operation.takes_value) return log.ret(), true;
  if (reply->kind == Reply::Kind::kNil) return log.ret(nullptr), true;
  return log.ret(std::stoi(reply->text)), true;
}

void client(plumb::Recorder& recorder, std::uint16_t port, const std::vector<Operation>& all, int number,
            int clients, int count) {
  plumb::ThreadLog& log = recorder.thread();
  for (int i = 0; i < count;) {
    redis::Connection server(port);
    if (!server.is_open()) return;
    // Each value is written once: then checking takes no time to speak of.
    for (bool good = true; good && i < count; ++i)
      good =
          perform(log, server, all[static_cast<std::size_t>(i + number) % all.size()], i * clients + number);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4)
    return std::fprintf(stderr, "usage: %s PORT register|queue FILE [CLIENTS [OPERATIONS]]\n", argv[0]), 2;
  const auto port = static_cast<std::uint16_t>(std::stoi(argv[1]));
  const std::string model = argv[2];
  const int clients = argc > 4 ? std::stoi(argv[4]) : 4;
  const int count = argc > 5 ? std::stoi(argv[5]) : 5000;
  auto recorder = plumb::Recorder::open(argv[3], {.model = model});
  if (!recorder) return std::fprintf(stderr, "%s\n", recorder.error().text().c_str()), 2;
  const auto all = operations(**recorder, model == "queue");
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i)
    threads.emplace_back(client, std::ref(**recorder), port, std::cref(all), i, clients, count);
  for (std::thread& thread : threads) thread.join();
  const auto status = (*recorder)->close();
  if (!status) return std::fprintf(stderr, "%s\n", status.error().text().c_str()), 1;
  return 0;
}
