// Its memory orders are right: --audit-orders says what each is for, --order tries another one.
#include <plumb/plumb.hpp>

#include "channel.hpp"

PLUMB_TEST(Channel, test) {
  test.operation("push", &Channel::push, plumb::values(1, 2)).one_thread("sender");
  test.operation("pop", &Channel::pop).one_thread("receiver");
}
