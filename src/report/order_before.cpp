#include "report/order_before.hpp"

namespace plumb {

std::optional<std::vector<OperationId>> order_before(const History& history, const Model& model,
                                                     OperationId last, const CheckOptions& options) {
  HistoryBuilder builder(std::make_shared<Values>(&history.values()));
  std::vector<OperationId> original;  // by the number in the shorter history
  std::vector<bool> returned(history.size());
  for (const Event event : history.events()) {
    if (event == Event::ret(last)) break;
    if (event.is_return()) returned[event.operation()] = true;
  }
  for (const Event event : history.events()) {
    const OperationId i = event.operation();
    if (event == Event::ret(last)) break;
    if (event.is_return() || i == last) continue;
    const HistoryBuilder::Completed completed = {history.result(i), returned[i] && history.has_result(i)};
    const OperationId made =
        builder.add(history.process(i), builder.function(history.function_name(i)), history.args(i),
                    completed, history.call(i), returned[i] ? history.ret(i) : kNever);
    if (history.has_objects()) builder.set_object(made, history.object(i));
    original.push_back(i);
  }
  builder.set_initial(history.initial());
  const auto before = builder.finish();
  if (!before) return std::nullopt;
  CheckOptions quiet = options;
  quiet.progress = {};
  quiet.engine = Engine::kAuto;
  const auto verdict = check(*before, model, quiet);
  if (!verdict || verdict->outcome != Outcome::kHolds) return std::nullopt;
  std::vector<OperationId> order;
  for (const OperationId i : verdict->linearization) order.push_back(original[i]);
  return order;
}

}  // namespace plumb
