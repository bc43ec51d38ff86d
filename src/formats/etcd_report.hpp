// The report of a robustness test of etcd: a folder with what each client recorded, client-N/operations.json, all of one history.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <plumb/history.hpp>
#include <plumb/result.hpp>

namespace plumb {

// Porcupine's operations whose requests are etcd's; by the beginning of a text.
[[nodiscard]] bool is_like_etcd_report(std::string_view head);

// Whether there are operations of clients in this folder.
[[nodiscard]] bool is_etcd_report(const std::string& folder);
[[nodiscard]] Result<std::vector<History>> read_etcd_report(const std::string& folder);

}  // namespace plumb
