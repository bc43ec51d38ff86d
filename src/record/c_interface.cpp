// plumb/record.h: the recorder, in C's words.
#include <plumb/record.h>

#include <array>
#include <cstring>
#include <vector>

#include <plumb/record.hpp>

namespace {

using plumb::ClockKind;
using plumb::LogValue;
using plumb::Recorder;
using plumb::ThreadLog;

enum ValueTag : std::int32_t { kNone, kNull, kBoolean, kInteger, kBytes, kJson };

thread_local std::string last_error;

Recorder& own(plumb_recorder* recorder) { return *reinterpret_cast<Recorder*>(recorder); }
const Recorder& own(const plumb_recorder* recorder) { return *reinterpret_cast<const Recorder*>(recorder); }
ThreadLog& own(plumb_recorder_log* log) { return *reinterpret_cast<ThreadLog*>(log); }
plumb::RecordedFunction own(int function) { return {static_cast<std::uint32_t>(function)}; }

LogValue own(const plumb_recorder_value& value) {
  switch (value.kind) {
    case kBoolean:
      return LogValue(value.number != 0);
    case kInteger:
      return LogValue(value.number);
    case kBytes:
      return LogValue(std::string_view(value.text, static_cast<std::size_t>(value.number)));
    case kJson:
      return LogValue::json({value.text, static_cast<std::size_t>(value.number)});
    default:
      return {};
  }
}

plumb_recorder_value text_value(std::int32_t kind, const char* text, std::size_t size) {
  return {kind, static_cast<std::int64_t>(size), text};
}

int told(const plumb::Status& status) {
  if (status) return 0;
  last_error = status.error().text();
  return -1;
}

}  // namespace

plumb_recorder_value plumb_recorder_none(void) { return {kNone, 0, nullptr}; }
plumb_recorder_value plumb_recorder_null(void) { return {kNull, 0, nullptr}; }
plumb_recorder_value plumb_recorder_boolean(int b) { return {kBoolean, b, nullptr}; }
plumb_recorder_value plumb_recorder_integer(int64_t n) { return {kInteger, n, nullptr}; }
plumb_recorder_value plumb_recorder_string(const char* text) {
  return text_value(kBytes, text, std::strlen(text));
}
plumb_recorder_value plumb_recorder_bytes(const char* text, size_t size) {
  return text_value(kBytes, text, size);
}
plumb_recorder_value plumb_recorder_json(const char* text) {
  return text_value(kJson, text, std::strlen(text));
}

plumb_recorder* plumb_recorder_open(const char* path, const char* model) {
  return plumb_recorder_open_with(path, model, nullptr, nullptr);
}

plumb_recorder* plumb_recorder_open_with(const char* path, const char* model, const char* initial,
                                         const char* clock) {
  plumb::RecorderOptions options;
  options.model = model != nullptr ? model : "";
  options.initial = initial != nullptr ? initial : "";
  const std::string_view wanted = clock != nullptr ? clock : "auto";
  bool known = false;
  for (const ClockKind kind :
       {ClockKind::kAuto, ClockKind::kHardware, ClockKind::kSystem, ClockKind::kCounter}) {
    if (plumb::clock_name(kind) != wanted) continue;
    options.clock = kind;
    known = true;
  }
  if (!known) {
    last_error = "unknown clock '" + std::string(wanted) + "'; there are auto, hardware, system and counter";
    return nullptr;
  }
  auto recorder = Recorder::open(path, std::move(options));
  if (recorder) return reinterpret_cast<plumb_recorder*>(recorder->release());
  last_error = recorder.error().text();
  return nullptr;
}

int plumb_recorder_function(plumb_recorder* recorder, const char* name) {
  return static_cast<int>(own(recorder).function(name).number);
}

int plumb_recorder_function_of(plumb_recorder* recorder, const char* name, const char* object) {
  return static_cast<int>(own(recorder).function(name, object).number);
}

plumb_recorder_log* plumb_recorder_thread(plumb_recorder* recorder) {
  return reinterpret_cast<plumb_recorder_log*>(&own(recorder).thread());
}
void plumb_recorder_release(plumb_recorder* recorder, plumb_recorder_log* log) {
  own(recorder).release(own(log));
}

void plumb_recorder_call(plumb_recorder_log* log, int function, plumb_recorder_value argument) {
  if (argument.kind == kNone) return own(log).call(own(function));
  own(log).call(own(function), own(argument));
}

void plumb_recorder_call_many(plumb_recorder_log* log, int function, const plumb_recorder_value* arguments,
                              size_t count) {
  std::vector<LogValue> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) values.push_back(own(arguments[i]));
  own(log).call_with(own(function), values);
}

void plumb_recorder_return(plumb_recorder_log* log, plumb_recorder_value result) {
  if (result.kind == kNone) return own(log).ret();
  own(log).ret(own(result));
}

void plumb_recorder_fail(plumb_recorder_log* log) { own(log).fail(); }
void plumb_recorder_info(plumb_recorder_log* log) { own(log).info(); }

int plumb_recorder_status(const plumb_recorder* recorder) { return told(own(recorder).status()); }

int plumb_recorder_close(plumb_recorder* recorder) {
  const std::unique_ptr<Recorder> ended(&own(recorder));
  return told(ended->close());
}

const char* plumb_recorder_error(void) { return last_error.c_str(); }
