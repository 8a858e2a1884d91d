#pragma once

#include <cstdint>
#include <limits>

#include "stages/clean/shared_parts.hpp"
#include "stages/deblend/shared_steps.hpp"
#include "stages/detect/adjacency.hpp"
#include "stages/detect/run_search.hpp"

namespace srcextract {

/// Finds SExtractor's order of pixels (pixel_order.hpp) for all connected sets of an image at once. A part is a set of
/// runs (consecutive pixels of a row) that is connected within the rows so far. The order of its pixels is a linked
/// list of nodes:
/// - an opening node;
/// - by column, the lists of the previous row's parts that belong to the part, and the pieces of the part's runs on
///   this row;
/// - a closing node.
///
/// The links of a row follow from the previous row alone. Afterwards, pointer jumping (Wyllie 1979) computes the number
/// of pixels from each node to the end of its list. A pixel with a larger number comes earlier. The time is
/// proportional to the number of nodes times the logarithm of the longest list.
struct SharedOrder {
  SRCEXTRACT_STEP(clear)
  SRCEXTRACT_STEP(join)
  SRCEXTRACT_STEP(settle)
  SRCEXTRACT_STEP(link_row)
  SRCEXTRACT_STEP(jump)

  static constexpr std::uint32_t nothing = 0xffffffffu;

  Shape shape;
  const Run* runs;
  const std::int32_t* label;  ///< per run: number of its connected set, from 1; 0: the run is ignored
  const std::int64_t* row_begin;
  std::int64_t room;  ///< number of runs that the buffers hold
  std::int32_t reach;
  SharedParts parts;
  std::uint32_t* last;  ///< per part, which is numbered as its first run: its last node so far
  /// per piece (node 2 room + i): the column behind its last pixel; -1: the piece does not exist
  std::int32_t* piece_end;
  /// per run whose first column is above the interior of a run of the next row: the piece of that run that begins there
  /// or contains this column
  std::uint32_t* piece_at;
  /// per node: a later node of the list in the high 32 bits; number of pixels from the node to there in the low 32 bits
  std::uint64_t* link;
  std::uint32_t* in_motion;  ///< per round of jumps: whether some link does not lead to the end of its list yet
  std::int32_t round;

  SRCEXTRACT_HOST_DEVICE std::int64_t run_count() const {
    return row_begin[shape.height] < room ? row_begin[shape.height] : room;
  }
  SRCEXTRACT_HOST_DEVICE std::int64_t begin_of(std::int64_t y) const {
    return row_begin[y] < room ? row_begin[y] : room;
  }
  /// Nodes of the two kinds of pieces:
  /// - first_piece(run): the piece at the beginning of `run`.
  /// - piece_under(run): the piece of a run on the next row that begins below the first column of `run`. Exists only if
  ///   `run` is the first run of a part.
  SRCEXTRACT_HOST_DEVICE std::uint32_t first_piece(std::int64_t run) const {
    return static_cast<std::uint32_t>(2 * room + run);
  }
  SRCEXTRACT_HOST_DEVICE std::uint32_t piece_under(std::int64_t run) const {
    return static_cast<std::uint32_t>(3 * room + run);
  }
  SRCEXTRACT_HOST_DEVICE std::int32_t end_of(std::uint32_t piece) const {
    return piece_end[static_cast<std::int64_t>(piece) - 2 * room];
  }
  SRCEXTRACT_HOST_DEVICE std::int32_t begin_of_piece(std::uint32_t piece) const {
    const std::int64_t i = static_cast<std::int64_t>(piece) - 2 * room;
    return runs[i < room ? i : i - room].begin;
  }
  /// Number of pixels from column x of a piece to the end of its list, so larger for earlier pixels. Valid after all
  /// rounds of jump().
  SRCEXTRACT_HOST_DEVICE std::int64_t pixels_to_end(std::uint32_t piece, std::int32_t x) const {
    const std::int64_t of_piece = next_of(link[piece]) == nothing ? 0 : static_cast<std::uint32_t>(link[piece]);
    return of_piece - (x - begin_of_piece(piece));
  }
  /// The node of the piece that contains column x of `run`.
  SRCEXTRACT_HOST_DEVICE std::uint32_t piece_of(std::int64_t run, std::int32_t x) const {
    const Run& of = runs[run];
    if (of.y == 0) return first_piece(run);
    std::int64_t begin = begin_of(of.y - 1), end = begin_of(of.y);
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      if (runs[middle].begin <= x) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    const std::int64_t above = begin - 1;
    const bool inside = above >= begin_of(of.y - 1) && runs[above].begin > of.begin;
    return inside ? piece_at[above] : first_piece(run);
  }

  SRCEXTRACT_HOST_DEVICE void clear(std::int64_t run) const { parts.clear(run); }

  SRCEXTRACT_HOST_DEVICE void join(std::int64_t run) const {
    const Run here = runs[run];
    if (label[run] <= 0 || here.y == 0) return;
    const std::int64_t end = begin_of(here.y);
    std::int64_t above = first_not_before(runs, begin_of(here.y - 1), end, here, reach);
    for (; above < end && touch(here, runs[above], reach); ++above)
      if (label[above] == label[run]) parts.join(static_cast<std::int32_t>(above), static_cast<std::int32_t>(run));
  }

  SRCEXTRACT_HOST_DEVICE void settle(std::int64_t run) const {
    const auto own = static_cast<std::int32_t>(run);
    shared_store(&parts.root[run], parts.find(own));
  }

  /// Appends, in order of columns, the lists of the previous row's parts and the pieces of row y's runs to the parts
  /// after row y.
  SRCEXTRACT_HOST_DEVICE void link_row(std::int64_t y) const {
    const std::int64_t first = begin_of(y), end = begin_of(y + 1);
    std::int64_t above = y > 0 ? begin_of(y - 1) : first, here = first, over = -1;
    std::uint32_t piece = nothing;
    while (above < first || here < end) {
      if (above < first && (here == end || runs[above].begin <= runs[here].begin)) {
        const std::int64_t run = above++;
        const bool inside = over >= 0 && runs[over].begin < runs[run].begin && runs[run].begin < runs[over].end &&
                            label[over] == label[run];
        const bool begins_part = label[run] > 0 && parts.root[run] == run && parts.below[run] != SharedParts::none;
        if (begins_part) {
          const std::int32_t within = parts.root[parts.below[run]];
          if (inside) end_piece(piece, runs[run].begin);
          append(opening(run), closing(run), within);
          if (inside) {
            piece = piece_under(run);
            end_piece(piece, runs[over].end);
            append(piece, piece, within);
          }
        }
        if (over >= 0) piece_at[run] = piece;
      } else {
        over = here++;
        if (label[over] <= 0) continue;
        piece = first_piece(over);
        end_piece(piece, runs[over].end);
        append(piece, piece, parts.root[over]);
      }
    }
    for (here = first; here < end; ++here)
      if (label[here] > 0 && parts.root[here] == here) follow(last_of(here), closing(here));
  }

  /// Replaces each link of a run's nodes by a longer link, up to most_jumps times. When round `round` begins, every
  /// link spans at least 8^round nodes or leads to the end of its list. Other threads only make links longer at the
  /// same time, so the result does not depend on the order of threads.
  SRCEXTRACT_HOST_DEVICE void jump(std::int64_t run) const {
    if (round > 0 && in_motion[round] == 0) return;
    bool ended = true;
    for (int kind = 0; kind < 4; ++kind) ended = jump_from(kind * room + run) && ended;
    if (!ended && shared_load(&in_motion[round + 1]) == 0) shared_store(&in_motion[round + 1], 1u);
  }

  /// Number of rounds after which every link leads to the end of its list, if no list has more than `nodes` nodes.
  static int rounds_for(std::int64_t nodes) { return (bits_below(nodes) + 2) / 3; }

 private:
  SRCEXTRACT_HOST_DEVICE static std::uint32_t next_of(std::uint64_t link) {
    return static_cast<std::uint32_t>(link >> 32);
  }
  SRCEXTRACT_HOST_DEVICE static std::uint64_t link_to(std::uint32_t next, std::uint32_t pixels) {
    return static_cast<std::uint64_t>(next) << 32 | pixels;
  }
  SRCEXTRACT_HOST_DEVICE static std::uint32_t opening(std::int64_t part) { return static_cast<std::uint32_t>(part); }
  SRCEXTRACT_HOST_DEVICE std::uint32_t closing(std::int64_t part) const {
    return static_cast<std::uint32_t>(room + part);
  }
  SRCEXTRACT_HOST_DEVICE std::uint32_t last_of(std::int64_t part) const {
    return last[part] == nothing ? opening(part) : last[part];
  }
  /// Number of jumps per round. After 7 jumps, a link that spans 8^round nodes spans 8^(round + 1).
  static constexpr int most_jumps = 7;

  /// Replaces the link of a node by a longer link. Returns whether the link leads to the end of its list.
  SRCEXTRACT_HOST_DEVICE bool jump_from(std::int64_t node) const {
    std::uint64_t own = shared_load(&link[node]);
    for (int i = 0; i < most_jumps && next_of(own) != nothing; ++i) {
      const std::uint64_t further = shared_load(&link[next_of(own)]);
      if (next_of(further) == nothing) return true;
      own = link_to(next_of(further), static_cast<std::uint32_t>(own) + static_cast<std::uint32_t>(further));
      shared_store(&link[node], own);
    }
    return next_of(own) == nothing;
  }
  /// Makes `next` the node behind `node`. If `node` is a piece, its end must be set.
  SRCEXTRACT_HOST_DEVICE void follow(std::uint32_t node, std::uint32_t next) const {
    const bool is_piece = static_cast<std::int64_t>(node) >= 2 * room;
    link[node] = link_to(next, is_piece ? static_cast<std::uint32_t>(end_of(node) - begin_of_piece(node)) : 0);
  }
  SRCEXTRACT_HOST_DEVICE void append(std::uint32_t from, std::uint32_t to, std::int64_t part) const {
    follow(last_of(part), from);
    last[part] = to;
  }
  SRCEXTRACT_HOST_DEVICE void end_piece(std::uint32_t piece, std::int32_t end) const {
    piece_end[static_cast<std::int64_t>(piece) - 2 * room] = end;
  }
};

template <class Where>
SharedCount shared_count_of(const Runs<Where>& runs) {
  return {runs.row_begin.data() + runs.shape.height, runs.runs.size()};
}

/// Executes all steps of a SharedOrder in the constructor, and owns its memory: 56 bytes per run that the buffers hold.
template <class Where>
class OrderMemory {
 public:
  template <class Machine>
  OrderMemory(const Runs<Where>& runs, const Components<Where>& components, std::int32_t reach, const Machine& machine)
      : OrderMemory(runs, components, reach, runs.runs.size(), machine) {}

  const SharedOrder& order() const { return order_; }

 private:
  template <class Machine>
  OrderMemory(const Runs<Where>& runs, const Components<Where>& components, std::int32_t reach, std::int64_t room,
              const Machine& machine)
      : root_(room, machine.where()),
        below_(room, machine.where()),
        last_(machine.template filled<std::uint32_t>(room, 0xff)),
        piece_end_(machine.template filled<std::int32_t>(2 * room, 0xff)),
        piece_at_(room, machine.where()),
        link_(machine.template filled<std::uint64_t>(4 * room, 0xff)),
        in_motion_(machine.template filled<std::uint32_t>(most_rounds + 1, 0)),
        order_{runs.shape,
               runs.runs.data(),
               components.label.data(),
               runs.row_begin.data(),
               room,
               reach,
               {root_.data(), below_.data()},
               last_.data(),
               piece_end_.data(),
               piece_at_.data(),
               link_.data(),
               in_motion_.data(),
               0} {
    if (room == 0) return;
    const SharedCount items = shared_count_of(runs);
    machine.template over<SharedOrder::clear_step>(items, order_);
    machine.template over<SharedOrder::join_step>(items, order_);
    machine.template over<SharedOrder::settle_step>(items, order_);
    machine.template over<SharedOrder::link_row_step>({nullptr, runs.shape.height}, order_);
    const int rounds = SharedOrder::rounds_for(4 * room);
    for (int i = 0; i < rounds; ++i) {
      order_.round = i;
      machine.template over<SharedOrder::jump_step>(items, order_);
    }
  }

  static constexpr int most_rounds = 12;

  Buffer<std::int32_t, Where> root_, below_;
  Buffer<std::uint32_t, Where> last_;
  Buffer<std::int32_t, Where> piece_end_;
  Buffer<std::uint32_t, Where> piece_at_;
  Buffer<std::uint64_t, Where> link_;
  Buffer<std::uint32_t, Where> in_motion_;
  SharedOrder order_;
};

}  // namespace srcextract
