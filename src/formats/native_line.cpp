// One pass over the bytes of a line, without looking for its end: no token of the format contains the end of
// a line.
#include "formats/native_line.hpp"

#include "json/quick_scanner.hpp"

namespace plumb {
namespace {

class Scanner : QuickScanner {
 public:
  using QuickScanner::QuickScanner;

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

  unsigned seen_ = 0;
};

}  // namespace

bool scan_native_line(std::string_view line, Values& values, NativeOperation& op) {
  return Scanner(line, values).operation(op);
}

}  // namespace plumb
