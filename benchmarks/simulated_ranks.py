"""A run on more cores than there are here, simulated: pieces as long as they were measured, handed out by rank 0, or divided among shards.

Rank 0 serves one request after another, for `Costs.piece` each, and works beside that, as it does (in a process of its own). Starting takes
`start`, and `start_more` for each doubling of the ranks, as a tree of daemons does. Shards start by themselves (`shard`), have every N-th piece,
and pay nothing else.
"""

import heapq
import itertools
import random
from dataclasses import dataclass

CORES = (2, 16, 256, 4096)
CAMPAIGN = 100_000  # pieces: as many as are drawn from those that were measured
SPLIT = 64  # items that a long piece is split into, at most


@dataclass
class Costs:
    """In seconds."""

    shard: float = 0.02
    start: float = 0.3
    start_more: float = 0.05
    piece: float = 50e-6


def doublings(ranks):
    return max(0, ranks - 1).bit_length()


def by_rank_0(pieces, ranks, costs):
    """When the last piece is finished."""
    begun = costs.start + costs.start_more * doublings(ranks)
    free = [begun] * ranks
    heapq.heapify(free)
    served = begun
    end = begun
    for piece in pieces:
        served = max(served, heapq.heappop(free)) + costs.piece
        end = max(end, served + piece)
        heapq.heappush(free, served + piece)
    return end


def by_shards(pieces, shards, costs):
    return costs.shard + max(sum(itertools.islice(pieces, first, None, shards)) for first in range(min(shards, len(pieces))))


def split(pieces, ranks):
    """Those that are longer than a tenth of what each rank has to do, as items of their search."""
    enough = sum(pieces) / ranks / 10
    items = []
    for piece in pieces:
        count = min(SPLIT, int(piece / enough) + 1) if enough > 0 else 1
        items += [piece / count] * count
    return items


def efficiency(pieces, ranks, makespan):
    return sum(pieces) / (ranks * makespan)


def campaigns(spread, rng):
    """Of each that was measured, that one, and a large one with pieces drawn from it."""
    for name, times in spread.items():
        yield f"{name}, as measured", times
        yield f"{CAMPAIGN:,} like {name}", rng.choices(times, k=CAMPAIGN)


def limit(pieces, ranks, costs):
    """What keeps it from being faster."""
    shares = {"the longest piece": max(pieces), "rank 0, which hands out": len(pieces) * costs.piece,
              "starting": costs.start + costs.start_more * doublings(ranks)}
    work = sum(pieces) / ranks
    most = max(shares, key=shares.get)
    return most if shares[most] > work / 10 else "nothing yet"


def report(spread, costs):
    rng = random.Random(1)
    lines = [f"Simulated (`benchmarks/simulated_ranks.py`), from pieces as long as they were here, one process at a time: a shard starts in {costs.shard:.2f} s, ranks in {costs.start:.2f} s and "
             f"{costs.start_more:.2f} s for each doubling of the ranks, a piece {costs.piece * 1e6:.0f} µs beyond its own work. Efficiency is the work over what all cores could have "
             "done in the time. Split: scenarios longer than a tenth of a core's share are handed out as items of their search, at no cost.", "",
             "| campaign | work | longest | cores | shards | ranks | ranks, long ones split | what limits the ranks |", "|---|--:|--:|--:|--:|--:|--:|---|"]
    for name, pieces in campaigns(spread, rng):
        for ranks in CORES:
            figures = [efficiency(pieces, ranks, by_shards(pieces, ranks, costs)), efficiency(pieces, ranks, by_rank_0(pieces, ranks, costs)),
                       efficiency(pieces, ranks, by_rank_0(split(pieces, ranks), ranks, costs))]
            lines.append(f"| {name} | {sum(pieces):.1f} s | {max(pieces) * 1000:.1f} ms | {ranks:,} | "
                         + " | ".join(f"{each * 100:.0f} %" for each in figures) + f" | {limit(pieces, ranks, costs)} |")
    return lines
