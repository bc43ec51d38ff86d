// One pass over the bytes of a line, without looking for its end: no token of the format contains the end of
// a line.
#include "history/native_line.hpp"

#include "history/text.hpp"

namespace plumb {
namespace {

class Scanner {
 public:
  Scanner(std::string_view line, Values& values)
      : at_(line.data()), end_(line.data() + line.size()), values_(values) {}

  bool operation(NativeOperation& op) {
    if (!eat("{")) return false;
    do {
      blank();
      if (!member(op)) return false;
    } while (eat(","));
    if (!eat("}") || at_ != end_ || (seen_ & kNeeded) != kNeeded) return false;
    op.completed.has_result = (seen_ & kResult) != 0;
    if (!op.completed.has_result) op.completed.result = kNull;
    if ((seen_ & kArgs) == 0) op.arity = 0;
    if ((seen_ & kObject) == 0) op.object = kNull;
    return op.ret != kNever || !op.completed.has_result;
  }

 private:
  enum Seen : unsigned {
    kProcess = 1,
    kFunction = 2,
    kArgs = 4,
    kResult = 8,
    kCall = 16,
    kReturn = 32,
    kObject = 64
  };
  static constexpr unsigned kNeeded = kProcess | kFunction | kCall | kReturn;

  template <std::size_t N>
  bool eat(const char (&literal)[N]) {
    static_assert(N - 1 <= kNativeSlack);
    for (std::size_t i = 0; i < N - 1; ++i) {  // unrolled; a call of memcmp would cost more
      if (at_[i] != literal[i]) return false;
    }
    at_ += N - 1;
    return true;
  }
  void blank() { at_ += *at_ == ' ' ? 1 : 0; }

  bool once(Seen member) {
    if ((seen_ & member) != 0) return false;
    seen_ |= member;
    blank();
    return true;
  }

  bool member(NativeOperation& op) {
    if (*at_ != '"') return false;
    switch (at_[1]) {
      case 'p':
        return eat("\"process\":") && once(kProcess) && *at_ != 'n' && scalar(op.process) &&
               !op.process.is_bool();
      case 'f':
        return eat("\"f\":") && once(kFunction) && text(op.function);
      case 'a':
        return eat("\"args\":") && once(kArgs) && arguments(op);
      case 'c':
        return eat("\"call\":") && once(kCall) && integer(op.call);
      case 'o':
        return eat("\"object\":") && once(kObject) && scalar(op.object);
      default:
        break;
    }
    if (eat("\"result\":")) return once(kResult) && scalar(op.completed.result);
    if (!eat("\"return\":") || !once(kReturn)) return false;
    if (*at_ != 'n') return integer(op.ret);
    op.ret = kNever;
    return eat("null");
  }

  bool arguments(NativeOperation& op) {
    op.arity = 0;
    if (eat("[]")) return true;
    if (!eat("[")) return false;
    do {
      blank();
      if (op.arity == op.arguments.size() || !scalar(op.arguments[op.arity])) return false;
      ++op.arity;
    } while (eat(","));
    return eat("]");
  }

  bool scalar(Value& value) {
    std::int64_t number = 0;
    std::string_view string;
    switch (*at_) {
      case 'n':
        value = kNull;
        return eat("null");
      case 't':
        value = kTrue;
        return eat("true");
      case 'f':
        value = kFalse;
        return eat("false");
      case '"':
        if (!text(string)) return false;
        value = values_.string(string);
        return true;
      default:
        if (!integer(number)) return false;
        value = Value::fits(number) ? Value::small(number) : values_.integer(number);
        return true;
    }
  }

  // Up to 18 digits: no overflow to think about.
  bool integer(std::int64_t& number) {
    const bool negative = *at_ == '-';
    if (negative) ++at_;
    const char* begin = at_;
    std::int64_t n = 0;
    for (; is_digit(*at_); ++at_) {
      if (at_ - begin == 18) return false;
      n = n * 10 + (*at_ - '0');
    }
    if (at_ == begin || (*begin == '0' && at_ - begin > 1)) return false;
    number = negative ? -n : n;
    return *at_ != '.' && *at_ != 'e' && *at_ != 'E';
  }

  // ASCII without escapes: nothing to check and nothing to decode.
  bool text(std::string_view& string) {
    if (*at_ != '"') return false;
    const char* begin = ++at_;
    for (; *at_ != '"'; ++at_) {
      if (static_cast<signed char>(*at_) < 0x20 || *at_ == '\\') return false;
    }
    string = {begin, static_cast<std::size_t>(at_ - begin)};
    ++at_;
    return true;
  }

  const char* at_;
  const char* end_;
  Values& values_;
  unsigned seen_ = 0;
};

}  // namespace

bool scan_native_line(std::string_view line, Values& values, NativeOperation& op) {
  return Scanner(line, values).operation(op);
}

}  // namespace plumb
