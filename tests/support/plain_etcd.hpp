// etcd once more, as a person would write it down: every revision is a map of its own, and answers are texts in JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace plumb::test {

class PlainEtcd {
 public:
  struct Request {
    std::string function;  // as in the model
    std::string key = {};
    std::string value = {};   // of a put, also that in a transaction
    std::int64_t number = 0;  // lease, revision, or what a transaction expects
    bool all = false;         // a range of all keys
  };

  // As a line of jsonl has them.
  static std::string args(const Request& r) {
    if (r.function == "put" && r.number == 0) return fmt::format(R"(["{}","{}"])", r.key, r.value);
    if (r.function == "put") return fmt::format(R"(["{}","{}",{}])", r.key, r.value, r.number);
    if (r.function == "delete") return fmt::format(R"(["{}"])", r.key);
    if (r.function == "range")
      return fmt::format(R"(["{}",{},2,false,{}])", r.key, r.all ? R"("z")" : "null", r.number);
    if (r.function == "txn" || r.function == "read_txn") {
      return fmt::format(R"([[["mod","{0}",{1}]],[["put","{0}","{2}"]],[["range","{0}"],["delete","{0}"]]])",
                         r.key, r.number, r.value);
    }
    return r.function == "defragment" ? "[]" : fmt::format("[{}]", r.number);
  }

  // What it returns; nothing if it cannot happen here.
  std::optional<std::string> apply(const Request& r) {
    const auto before = past_.size();
    std::string result;
    if (r.function == "put") {
      if (r.number == 0 || !revoked_.contains(r.number)) put(r.key, r.value, r.number);
      result = now();
    } else if (r.function == "delete") {
      const bool there = erase(r.key);
      result = fmt::format("[{},{}]", now(), there ? 1 : 0);
    } else if (r.function == "range") {
      return range(r);
    } else if (r.function == "txn" || r.function == "read_txn") {
      result = transaction(r);
      if (r.function == "read_txn" && past_.size() != before) return std::nullopt;
    } else if (r.function == "lease_grant") {
      result = now();
    } else if (r.function == "lease_revoke") {
      revoke(r.number);
      result = now();
    } else if (r.function == "compact") {
      if (r.number <= compacted_) return R"("compacted")";
      if (r.number > static_cast<std::int64_t>(past_.size())) return R"("future")";
      compacted_ = r.number;
      result = "true";
    } else {
      result = "null";
    }
    return result;
  }

 private:
  struct Entry {
    std::string value;
    std::size_t mod = 0;
    std::size_t version = 0;
    std::int64_t lease = 0;
  };
  using Store = std::map<std::string, Entry>;

  [[nodiscard]] std::string now() const { return fmt::to_string(past_.size()); }

  void put(const std::string& key, const std::string& value, std::int64_t lease) {
    Store next = past_.back();
    const std::size_t version = next.contains(key) ? next[key].version + 1 : 1;
    next[key] = {value, past_.size() + 1, version, lease};
    past_.push_back(next);
  }
  bool erase(const std::string& key) {
    Store next = past_.back();
    if (next.erase(key) == 0) return false;
    past_.push_back(next);
    return true;
  }
  void revoke(std::int64_t lease) {
    revoked_.insert(lease);
    Store next = past_.back();
    if (std::erase_if(next, [&](const auto& entry) { return lease != 0 && entry.second.lease == lease; }) !=
        0)
      past_.push_back(next);
  }

  static std::string found(const Store& store, const std::string& key, bool all, std::size_t limit) {
    std::string items;
    std::size_t count = 0;
    for (const auto& [name, entry] : store) {
      if (all ? name < key || name >= "z" : name != key) continue;
      if (++count > limit) continue;
      items += fmt::format(R"({}["{}","{}",{},{}])", items.empty() ? "" : ",", name, entry.value, entry.mod,
                           entry.version);
    }
    return fmt::format("[{},[{}]]", count, items);
  }

  [[nodiscard]] std::optional<std::string> range(const Request& r) const {
    const auto current = static_cast<std::int64_t>(past_.size());
    const std::int64_t revision = r.number == 0 ? current : r.number;
    if (revision > current) return R"("future")";
    if (revision < current && revision < compacted_) return R"("compacted")";
    return fmt::format("[{},{}]", now(),
                       found(past_[static_cast<std::size_t>(revision) - 1], r.key, r.all, 2));
  }

  std::string transaction(const Request& r) {
    const Store store = past_.back();
    const auto it = store.find(r.key);
    const std::size_t mod = it == store.end() ? 0 : it->second.mod;
    if (static_cast<std::int64_t>(mod) == r.number) {
      put(r.key, r.value, 0);
      return fmt::format("[{},true,[null]]", now());
    }
    const bool there = erase(r.key);
    return fmt::format("[{},false,[{},{}]]", now(), found(store, r.key, false, 2), there ? 1 : 0);
  }

  std::vector<Store> past_ = {{}};  // revision 1 is empty
  std::set<std::int64_t> revoked_;
  std::int64_t compacted_ = -1;
};

}  // namespace plumb::test
