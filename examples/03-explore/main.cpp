// Runs a stack through the interleavings of two threads, and finds the one in which a node is lost and
// another doubled. stack.hpp is plain C++: nothing in it knows of plumb.
#include <plumb/explore.hpp>

#include "stack.hpp"

namespace {

void two_threads(plumb::Program& p) {
  Stack stack;
  Node a;
  Node b;
  stack.push(a);
  stack.push(b);
  Node* first = nullptr;   // what thread 1 got
  Node* second = nullptr;  // what thread 2 keeps
  p.thread([&] { first = stack.pop(); });
  p.thread([&] {
    Node* back = stack.pop();
    second = stack.pop();
    if (back != nullptr) stack.push(*back);
  });
  p.check([&] {
    Node* left = stack.pop();
    return first != second && (left == nullptr || (left != first && left != second));
  });
}

}  // namespace

int main(int argc, char** argv) { return plumb::explore_main(argc, argv, two_threads); }
