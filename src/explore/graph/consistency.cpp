// The memory models there are: the rows of memory_models.def.
#include "explore/graph/consistency.hpp"

namespace plumb::engine::graph {

std::unique_ptr<Consistency> consistency_of(Model model) {
  switch (model) {
#define PLUMB_MEMORY_MODEL(name, word, maker, what, token) \
  case Model::name:                                        \
    return maker();
#include "explore/graph/memory_models.def"
#undef PLUMB_MEMORY_MODEL
  }
  return nullptr;
}

}  // namespace plumb::engine::graph
