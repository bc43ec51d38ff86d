// A program that feels at home where a number is written 1.234,5: its scenarios are run once, and in workers
// only.
#include <sys/mman.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstring>
#include <locale>
#include <mutex>
#include <ostream>

#include <plumb/test.hpp>

namespace {

constexpr int kNoSuchLocale = 77;
pid_t g_main = 0;
int* g_made_here = nullptr;  // shared, not the program's own data, which begins anew each execution

struct Amount {
  int cents = 0;
  bool operator==(const Amount&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Amount& amount) {
    return out << amount.cents << " or " << amount.cents / 100.0;
  }
};

struct Till {
  Till() {
    if (getpid() == g_main) ++*g_made_here;
  }
  Amount add(int cents) {
    const std::scoped_lock lock(mutex);
    return {total += cents};
  }
  std::mutex mutex;
  int total = 0;
};

PLUMB_TEST(Till, test) { test.operation("add", &Till::add, plumb::values(1234550, 1)); }

}  // namespace

int main(int argc, char** argv) {
  g_main = getpid();
  g_made_here = static_cast<int*>(
      mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  try {
    std::locale::global(std::locale(""));
  } catch (const std::exception&) {
    return kNoSuchLocale;
  }
  if (std::strcmp(std::localeconv()->decimal_point, ",") != 0) return kNoSuchLocale;
  const int status = plumb::test_main(argc, argv);
  std::printf("%d objects were made by the program itself\n", *g_made_here);
  return status;
}
