// What the containers of libstdc++ do out of line, in a library without hooks: the links of std::list, the trees of std::map and
// std::set, when tables of std::unordered_map and its kin are to grow, results of promises, the bytes that std::hash reads. It is the program's memory, so it is told to the race detector, as copies.cpp does for memory.
//
// The links of lists, and the way from node to node of a tree, are followed here, access by access. Trees are balanced by the real
// functions, and of that only is told what they touch however the tree is balanced then: no race is made up.
#include <functional>
#include <future>
#include <list>
#include <map>
#include <type_traits>
#include <unordered_map>

#include "runtime/access.hpp"
#include "runtime/real.hpp"

namespace rt = plumb::runtime;

namespace {

using Node = std::_Rb_tree_node_base;

// Most fields are pointers, and those are what is read and written.
template <class T>
void reads(const T& field, const void* pc) {
  if (rt::exploring()) rt::report_access(&field, sizeof(T), false, pc);  // NOLINT(bugprone-sizeof-expression)
}
template <class T>
void writes(const T& field, const void* pc) {
  if (rt::exploring()) rt::report_access(&field, sizeof(T), true, pc);  // NOLINT(bugprone-sizeof-expression)
}

// The fields of nodes as one thread of the program uses them.
class Fields {
 public:
  explicit Fields(const void* pc) : pc_(pc) {}

  template <class T>
  T get(const T& field) const {
    reads(field, pc_);
    return field;
  }
  template <class T>
  void set(T& field, std::type_identity_t<T> value) const {
    writes(field, pc_);
    field = value;
  }
  template <class T>
  void exchange(T& a, T& b) const {
    const T before = get(a);
    set(a, get(b));
    set(b, before);
  }

 private:
  const void* pc_;
};

// The next one in order; end() is the header, whose parent is the root and whose links are the first and the last.
Node* next_of(Node* node, Fields fields) {
  if (Node* right = fields.get(node->_M_right); right != nullptr) {
    Node* at = right;
    while (Node* left = fields.get(at->_M_left)) at = left;
    return at;
  }
  Node* above = fields.get(node->_M_parent);
  while (node == fields.get(above->_M_right)) {
    node = above;
    above = fields.get(above->_M_parent);
  }
  // The root was the last one, without any on its right: this has come to the header already, and one too far.
  return fields.get(node->_M_right) != above ? above : node;
}

Node* previous_of(Node* node, Fields fields) {
  const bool may_be_end = fields.get(node->_M_color) == std::_S_red;
  if (may_be_end && fields.get(fields.get(node->_M_parent)->_M_parent) == node)
    return fields.get(node->_M_right);
  if (Node* left = fields.get(node->_M_left); left != nullptr) {
    Node* at = left;
    while (Node* right = fields.get(at->_M_right)) at = right;
    return at;
  }
  Node* above = fields.get(node->_M_parent);
  while (node == fields.get(above->_M_left)) {
    node = above;
    above = fields.get(above->_M_parent);
  }
  return above;
}

// The compiler's padding is not the node's.
void reads_node(const Node& node, const void* pc) {
  reads(node._M_color, pc);
  reads(node._M_parent, pc);
  reads(node._M_left, pc);
  reads(node._M_right, pc);
}
void writes_node(const Node& node, const void* pc) {
  writes(node._M_color, pc);
  writes(node._M_parent, pc);
  writes(node._M_left, pc);
  writes(node._M_right, pc);
}

void tell_insert(bool left, const Node& node, const Node& parent, const Node& header, const void* pc) {
  writes_node(node, pc);
  reads(header._M_parent, pc);
  writes(left ? parent._M_left : parent._M_right, pc);
  if (&parent == &header) {  // the first of all
    writes(header._M_parent, pc);
    writes(header._M_right, pc);
    return;
  }
  reads(parent._M_color, pc);
  Node* const& outermost = left ? header._M_left : header._M_right;
  reads(outermost, pc);
  if (outermost == &parent) writes(outermost, pc);
}

// A node with two children gives its place to its successor; only others can be the first or the last one.
void tell_erase(const Node& node, const Node& header, const void* pc) {
  reads_node(node, pc);
  reads(header._M_parent, pc);
  const Node* left = node._M_left;
  const Node* right = node._M_right;
  if (left != nullptr) writes(left->_M_parent, pc);
  if (right != nullptr) writes(right->_M_parent, pc);
  if (header._M_parent == &node) {
    writes(header._M_parent, pc);
  } else {
    const Node& parent = *node._M_parent;
    reads(parent._M_left, pc);
    writes(parent._M_left == &node ? parent._M_left : parent._M_right, pc);
  }
  if (left != nullptr && right != nullptr) return;
  for (Node* const& outermost : {std::cref(header._M_left), std::cref(header._M_right)}) {
    reads(outermost, pc);
    if (outermost == &node) writes(outermost, pc);
  }
}

}  // namespace

namespace std {

namespace __detail {

void _List_node_base::_M_hook(_List_node_base* const position) noexcept {
  const Fields fields(PLUMB_CALLER);
  fields.set(_M_next, position);
  _List_node_base* const before = fields.get(position->_M_prev);
  fields.set(_M_prev, before);
  fields.set(before->_M_next, this);
  fields.set(position->_M_prev, this);
}
void _List_node_base::_M_unhook() noexcept {
  const Fields fields(PLUMB_CALLER);
  _List_node_base* const after = fields.get(_M_next);
  _List_node_base* const before = fields.get(_M_prev);
  fields.set(before->_M_next, after);
  fields.set(after->_M_prev, before);
}
void _List_node_base::_M_transfer(_List_node_base* const first, _List_node_base* const last) noexcept {
  if (this == last) return;
  const Fields fields(PLUMB_CALLER);
  _List_node_base* const before_first = fields.get(first->_M_prev);
  _List_node_base* const before_last = fields.get(last->_M_prev);
  _List_node_base* const before_this = fields.get(_M_prev);
  fields.set(before_last->_M_next, this);
  fields.set(before_first->_M_next, last);
  fields.set(before_this->_M_next, first);
  fields.set(_M_prev, before_last);
  fields.set(last->_M_prev, before_first);
  fields.set(first->_M_prev, before_this);
}
void _List_node_base::_M_reverse() noexcept {
  const Fields fields(PLUMB_CALLER);
  _List_node_base* at = this;
  do {
    fields.exchange(at->_M_next, at->_M_prev);
    at = fields.get(at->_M_prev);
  } while (at != this);
}
void _List_node_base::swap(_List_node_base& a, _List_node_base& b) noexcept {
  const Fields fields(PLUMB_CALLER);
  const bool a_is_empty = fields.get(a._M_next) == &a;
  const bool b_is_empty = fields.get(b._M_next) == &b;
  if (a_is_empty && b_is_empty) return;
  fields.exchange(a._M_next, b._M_next);
  fields.exchange(a._M_prev, b._M_prev);
  const auto close = [&](_List_node_base& header, bool is_empty) {
    if (is_empty) {
      fields.set(header._M_next, &header);
      fields.set(header._M_prev, &header);
    } else {
      fields.set(fields.get(header._M_next)->_M_prev, &header);
      fields.set(fields.get(header._M_prev)->_M_next, &header);
    }
  };
  close(a, b_is_empty);
  close(b, a_is_empty);
}

// When the table is to grow next is a number in the container. It is read always, and written where it is reached.
pair<bool, size_t> _Prime_rehash_policy::_M_need_rehash(size_t buckets, size_t elements, size_t added) const {
  const Fields fields(PLUMB_CALLER);
  if (elements + added > fields.get(_M_next_resize)) {
    reads(_M_max_load_factor, PLUMB_CALLER);
    writes(_M_next_resize, PLUMB_CALLER);
  }
  using Function = pair<bool, size_t>(const _Prime_rehash_policy*, size_t, size_t, size_t);
  static auto* const real = rt::real<Function>("_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm");
  return real(this, buckets, elements, added);
}
size_t _Prime_rehash_policy::_M_next_bkt(size_t buckets) const {
  if (buckets != 0) {
    reads(_M_max_load_factor, PLUMB_CALLER);
    writes(_M_next_resize, PLUMB_CALLER);
  }
  using Function = size_t(const _Prime_rehash_policy*, size_t);
  static auto* const real = rt::real<Function>("_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm");
  return real(this, buckets);
}

}  // namespace __detail

_Rb_tree_node_base* _Rb_tree_increment(_Rb_tree_node_base* node) noexcept {
  return next_of(node, Fields(PLUMB_CALLER));
}
const _Rb_tree_node_base* _Rb_tree_increment(const _Rb_tree_node_base* node) noexcept {
  return next_of(const_cast<_Rb_tree_node_base*>(node), Fields(PLUMB_CALLER));
}
_Rb_tree_node_base* _Rb_tree_decrement(_Rb_tree_node_base* node) noexcept {
  return previous_of(node, Fields(PLUMB_CALLER));
}
const _Rb_tree_node_base* _Rb_tree_decrement(const _Rb_tree_node_base* node) noexcept {
  return previous_of(const_cast<_Rb_tree_node_base*>(node), Fields(PLUMB_CALLER));
}

void _Rb_tree_insert_and_rebalance(const bool left, _Rb_tree_node_base* node, _Rb_tree_node_base* parent,
                                   _Rb_tree_node_base& header) noexcept {
  if (rt::exploring()) tell_insert(left, *node, *parent, header, PLUMB_CALLER);
  PLUMB_REAL_OF(std::_Rb_tree_insert_and_rebalance,
                "_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_")
  (left, node, parent, header);
}
_Rb_tree_node_base* _Rb_tree_rebalance_for_erase(_Rb_tree_node_base* const node,
                                                 _Rb_tree_node_base& header) noexcept {
  if (rt::exploring()) tell_erase(*node, header, PLUMB_CALLER);
  return PLUMB_REAL_OF(std::_Rb_tree_rebalance_for_erase,
                       "_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_")(node, header);
}

// What a promise and its future share holds no exception yet.
__future_base::_Result_base::_Result_base() { writes(*this, PLUMB_CALLER); }

size_t _Hash_bytes(const void* from, size_t size, size_t seed) {
  if (size != 0 && rt::exploring()) rt::report_access(from, size, false, PLUMB_CALLER);
  return PLUMB_REAL_OF(std::_Hash_bytes, "_ZSt11_Hash_bytesPKvmm")(from, size, seed);
}

}  // namespace std
