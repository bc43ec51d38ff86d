// Hashes the pieces of a state to its key. Each block of 64 bytes goes through two rounds of AES, into one of a few accumulators that take
// turns, so that none waits for the one before; at the end each goes through two more, and their sum is the key: every bit of a piece
// matters to all bits of it. A piece that is shorter than a block is filled up with zeros. Pieces are told apart by their order: how long each is must
// follow from what comes before it. Processors that fibers need (FSGSBASE) have the instruction, some of them for a whole block at once.
#pragma once

#include <cstddef>
#include <span>

#include "explore/states/state_key.hpp"

namespace plumb::engine {

struct Piece {
  const void* from = nullptr;
  std::size_t size = 0;
};

StateKey hash_of_pieces(std::span<const Piece> pieces);

// The two ways that come to the same; it takes the wide one where the processor has it.
bool has_wide_aes();
StateKey hash_by_wide_aes(std::span<const Piece> pieces);
StateKey hash_by_narrow_aes(std::span<const Piece> pieces);

}  // namespace plumb::engine
