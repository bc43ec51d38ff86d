// A stack of nodes that their owners bring along (Treiber, 1986). It has a fault: a node that is taken off
// and put back while another thread is in the middle of pop() looks as if it had never been away (ABA).
#pragma once

#include <atomic>

struct Node {
  std::atomic<Node*> next{nullptr};
};

class Stack {
 public:
  void push(Node& node) {
    Node* top = top_.load();
    do {
      node.next = top;
    } while (!top_.compare_exchange_weak(top, &node));
  }

  Node* pop() {
    Node* top = top_.load();
    while (top != nullptr) {
      Node* next = top->next;
      if (top_.compare_exchange_weak(top, next)) break;
    }
    return top;
  }

 private:
  std::atomic<Node*> top_{nullptr};
};
