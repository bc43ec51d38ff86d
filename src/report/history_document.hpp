// A verdict on a history as a document: with or without the history itself.
#pragma once

#include <memory>

#include <plumb/report.hpp>

#include "document/document.hpp"
#include "report/history_view.hpp"

namespace plumb {

// What the check said, and no more. The facts begin with those that docs/cli.md lists, in that order; more may follow.
[[nodiscard]] Document verdict_document(const ReportSource& source, const History& history,
                                        const Verdict& verdict);
// With the history, and a sentence about it.
[[nodiscard]] Document history_document(std::shared_ptr<const HistoryView> view);

}  // namespace plumb
