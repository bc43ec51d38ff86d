// A user of the library: public headers only, a history made by hand, the verdict printed.
#include <cstdio>

#include <plumb/check.hpp>
#include <plumb/files.hpp>
#include <plumb/model.hpp>

int main() {
  const char* text =
      "{\"process\":0,\"f\":\"enqueue\",\"args\":[1],\"result\":null,\"call\":0,\"return\":1}\n"
      "{\"process\":0,\"f\":\"dequeue\",\"args\":[],\"result\":null,\"call\":2,\"return\":3}\n";
  const auto histories = plumb::parse_histories(text);
  if (!histories) {
    std::puts(histories.error().text().c_str());
    return 2;
  }
  const auto verdict = plumb::check((*histories)[0], *plumb::find_model("queue").value());
  if (!verdict || verdict->outcome != plumb::Outcome::kViolation) return 1;
  std::puts("consumer: the violation was found");
  return 0;
}
