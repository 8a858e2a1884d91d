#pragma once

#include <algorithm>
#include <cstdint>

#include "stages/clean/clean_sources.hpp"
#include "stages/clean/pixel_stretch.hpp"
#include "stages/clean/shared_order.hpp"
#include "stages/measure/parentage.hpp"

namespace srcextract {

/// Steps that list the pixels of every source in the order of find_limits.hpp. The list consists of stretches with sort
/// keys. A stretch is a range of pixels that are consecutive in a row and in the order. The steps either sort all
/// stretches, or find only the first few of each source.
struct SharedStretches {
  SRCEXTRACT_STEP(note_whole)
  SRCEXTRACT_STEP(add_island_run)
  SRCEXTRACT_STEP(add_core_run)
  SRCEXTRACT_STEP(add_leftovers)
  SRCEXTRACT_STEP(gather)
  SRCEXTRACT_STEP(find_first)

  static constexpr unsigned long long none = ~0ull;

  SharedOrder islands, cores;  ///< orders of pixels in islands and in cores; without deblending, cores.room is 0
  const Run* runs;             ///< runs of the sources
  const std::int32_t* label;
  const std::int64_t* row_begin;
  std::int64_t source_room, island_room;
  const Parentage* parentage;  ///< null without deblending
  /// per island: its source, from 0; -1 if deblending split the island
  std::int32_t* source_of_island;
  int rank_bits;       ///< number of bits of a rank, which increases in the order of the pixels of an island or core
  std::uint64_t* key;  ///< per stretch, from the high bits: source, 1 bit that is set for pixels outside cores, rank
  PixelStretch* stretch;
  std::int64_t* count;  ///< number of stretches, including those that the buffers do not hold
  std::int64_t room;
  /// per source: number of stretches; later index of its first stretch; one more element is the end
  std::uint32_t* begin;
  std::uint32_t* gathered;  ///< per source: number of stretches that gather() has stored
  /// per stretch: place_of(). Those of source s begin at begin[s], in no order until they are sorted
  unsigned long long* place;
  /// per round and source: the key place_of() of the stretch that find_first() finds in this round, or `none`
  unsigned long long* first;
  int index_bits, round;

  /// A key of stretch `at` that orders the stretches of a source; the low bits are the index `at`. The key has at most
  /// 63 bits: 31 for the rank, 1 for pixels outside cores and 31 for the index.
  SRCEXTRACT_HOST_DEVICE unsigned long long place_of(std::int64_t at) const {
    const std::uint64_t order = key[at] & ((std::uint64_t{2} << rank_bits) - 1);
    return (order << index_bits) | static_cast<std::uint64_t>(at);
  }
  SRCEXTRACT_HOST_DEVICE const PixelStretch& stretch_at(unsigned long long place) const {
    return stretch[place & ((1ull << index_bits) - 1)];
  }

  /// Stores the source of an island that deblending did not split.
  SRCEXTRACT_HOST_DEVICE void note_whole(std::int64_t source) const {
    if (parentage == nullptr) {
      source_of_island[source] = static_cast<std::int32_t>(source);
      return;
    }
    const std::int32_t parent = parentage[source].parent;  // 0 if the buffers were too small for the source's pieces
    if (parentage[source].split == 0 && parent > 0 && parent <= island_room)
      source_of_island[parent - 1] = static_cast<std::int32_t>(source);
  }

  /// Adds the pieces of a run of an island that deblending did not split. add_core_run() does the same for runs of
  /// cores.
  SRCEXTRACT_HOST_DEVICE void add_island_run(std::int64_t run) const {
    const std::int32_t island = islands.label[run];
    if (island <= 0 || island > island_room || source_of_island[island - 1] < 0) return;
    add_pieces(islands, run, source_of_island[island - 1]);
  }
  SRCEXTRACT_HOST_DEVICE void add_core_run(std::int64_t run) const {
    const std::int32_t source = cores.label[run];
    if (source > 0 && source <= source_room) add_pieces(cores, run, source - 1);
  }

  SRCEXTRACT_HOST_DEVICE void gather(std::int64_t at) const {
    const std::int64_t source = source_of(at);
    place[begin[source] + shared_add(&gathered[source], 1u)] = place_of(at);
  }

  /// Finds the first stretch of each source; in round 1 the second stretch, and so on.
  SRCEXTRACT_HOST_DEVICE void find_first(std::int64_t at) const {
    unsigned long long* const of_source = first + source_of(at);
    const unsigned long long own = place_of(at);
    if (round > 0 && own <= of_source[(round - 1) * source_room]) return;
    shared_lower(&of_source[round * source_room], own);
  }

  /// Adds those pixels of a run that are outside the core of their source, if deblending split the island. The keys of
  /// these pixels are larger than the keys of the pixels in the core.
  SRCEXTRACT_HOST_DEVICE void add_leftovers(std::int64_t run) const {
    const std::int32_t source = label[run];
    if (source <= 0 || source > source_room || parentage[source - 1].split == 0) return;
    const Run of = runs[run];
    const std::int64_t core_end = cores.begin_of(of.y + 1);
    std::int64_t island_run = run_at(islands, of),
                 core = first_not_before(cores.runs, cores.begin_of(of.y), core_end, Run{of.y, of.begin, of.end}, 0);
    if (island_run < 0) return;
    for (std::int32_t x = of.begin; x < of.end;) {
      while (core < core_end && (cores.label[core] <= 0 || cores.runs[core].end <= x)) ++core;
      std::int32_t end = of.end;
      if (core < core_end && cores.runs[core].begin < end) {
        if (cores.runs[core].begin <= x) {
          x = cores.runs[core].end;
          continue;
        }
        end = cores.runs[core].begin;
      }
      const std::uint32_t piece = islands.piece_of(island_run, x);
      if (islands.end_of(piece) < end) end = islands.end_of(piece);
      if (end <= x) return;  // the buffers were too small for all pieces of the island
      add(islands, piece, source - 1, 1, {of.y, x, end});
      x = end;
    }
  }

 private:
  SRCEXTRACT_HOST_DEVICE std::int64_t source_of(std::int64_t at) const {
    return static_cast<std::int64_t>(key[at] >> (rank_bits + 1));
  }

  /// The index of the run in `order` that contains the run `of`; -1 if the buffers were too small for the run.
  SRCEXTRACT_HOST_DEVICE static std::int64_t run_at(const SharedOrder& order, const Run& of) {
    const std::int64_t end = order.begin_of(of.y + 1);
    const std::int64_t run = first_not_before(order.runs, order.begin_of(of.y), end, of, 0);
    return run < end && order.runs[run].begin <= of.begin ? run : -1;
  }

  SRCEXTRACT_HOST_DEVICE void add_pieces(const SharedOrder& order, std::int64_t run, std::int32_t source) const {
    const Run of = order.runs[run];
    const std::uint32_t first = order.first_piece(run), under = order.piece_under(run);
    add(order, first, source, 0, {of.y, of.begin, order.end_of(first)});
    if (order.end_of(under) >= 0) add(order, under, source, 0, {of.y + 1, of.begin, order.end_of(under)});
  }

  SRCEXTRACT_HOST_DEVICE void add(const SharedOrder& order, std::uint32_t piece, std::int32_t source, int later,
                                  const Run& pixels) const {
    const std::int64_t at = shared_add(count, std::int64_t{1});
    if (at >= room) return;
    const auto rank = static_cast<std::uint64_t>(islands.shape.width * islands.shape.height -
                                                 order.pixels_to_end(piece, pixels.begin));
    shared_add(&begin[source], 1u);
    key[at] = (static_cast<std::uint64_t>(2 * static_cast<std::int64_t>(source) + later) << rank_bits) | rank;
    stretch[at] = {static_cast<std::int32_t>(pixels.y * islands.shape.width + pixels.begin), pixels.end - pixels.begin};
  }
};

/// Executes all steps of SharedStretches in the constructor, and owns its memory: at most 24 bytes per stretch.
template <class Where>
class StretchMemory {
 public:
  /// `order_of_cores` is null without deblending; each island is then a source. If `firsts` is above 0, only the first
  /// `firsts` stretches of each source are found. If `firsts` is 0, all stretches are sorted.
  template <class Machine>
  StretchMemory(const Uncleaned<Where>& sources, std::int64_t island_room, const SharedCount& all_sources,
                const SharedOrder& order_of_islands, const SharedOrder* order_of_cores, int firsts,
                const Machine& machine)
      : source_of_island_(machine.template filled<std::int32_t>(island_room, 0xff)),
        key_(firsts > 0
                 ? Buffer<std::uint64_t, Where>(room_of(sources, order_of_islands, order_of_cores), machine.where())
                 : machine.template filled<std::uint64_t>(room_of(sources, order_of_islands, order_of_cores), 0xff)),
        stretch_(key_.size(), machine.where()),
        count_(machine.template filled<std::int64_t>(1, 0)),
        begin_(machine.template filled<std::uint32_t>(sources.sums.size() + 1, 0)),
        gathered_(machine.template filled<std::uint32_t>(firsts > 0 ? sources.sums.size() : 0, 0)),
        place_(firsts > 0 ? key_.size() : 0, machine.where()),
        first_(machine.template filled<unsigned long long>(firsts * sources.sums.size(), 0xff)) {
    const std::int64_t source_room = sources.sums.size();
    // at most 31, since images on a device have fewer than 2^31 pixels
    const int rank_bits = bits_below(sources.runs.shape.count() + 1);
    stretches_ = {order_of_islands,
                  order_of_cores != nullptr ? *order_of_cores : SharedOrder{},
                  sources.runs.runs.data(),
                  sources.components.label.data(),
                  sources.runs.row_begin.data(),
                  source_room,
                  island_room,
                  order_of_cores != nullptr ? sources.parentage.data() : nullptr,
                  source_of_island_.data(),
                  rank_bits,
                  key_.data(),
                  stretch_.data(),
                  count_.data(),
                  key_.size(),
                  begin_.data(),
                  gathered_.data(),
                  place_.data(),
                  first_.data(),
                  bits_below(key_.size()),
                  0};
    machine.template over<SharedStretches::note_whole_step>(all_sources, stretches_);
    machine.template over<SharedStretches::add_island_run_step>(shared_count_of(sources.island_runs), stretches_);
    if (order_of_cores != nullptr) {
      machine.template over<SharedStretches::add_core_run_step>(shared_count_of(sources.cores.runs), stretches_);
      machine.template over<SharedStretches::add_leftovers_step>(shared_count_of(sources.runs), stretches_);
    }
    machine.make_running_sums(begin_, all_sources);
    if (firsts > 0) {
      find_first(firsts, machine);
    } else {
      machine.sort(key_, stretch_, rank_bits + 1 + bits_below(source_room + 1));
      stretches_.key = key_.data();
      stretches_.stretch = stretch_.data();
    }
  }

  const SharedStretches& stretches() const { return stretches_; }

 private:
  template <class Machine>
  void find_first(int firsts, const Machine& machine) {
    const SharedCount all{count_.data(), key_.size()};
    machine.template over<SharedStretches::gather_step>(all, stretches_);
    for (int round = 0; round < firsts; ++round) {
      stretches_.round = round;
      machine.template over<SharedStretches::find_first_step>(all, stretches_);
    }
  }

  /// An upper limit of the number of stretches. Each run of an island or core is divided at most once for every run
  /// above it. Ranges of pixels outside cores end where a run of a source, a core or a piece of an island ends. Every
  /// stretch has at least one pixel.
  static std::int64_t room_of(const Uncleaned<Where>& sources, const SharedOrder& islands, const SharedOrder* cores) {
    const std::int64_t of_cores = cores == nullptr ? 0 : 3 * cores->room + sources.runs.runs.size();
    return std::min(2 * islands.room + of_cores, sources.runs.shape.count());
  }

  Buffer<std::int32_t, Where> source_of_island_;
  Buffer<std::uint64_t, Where> key_;
  Buffer<PixelStretch, Where> stretch_;
  Buffer<std::int64_t, Where> count_;
  Buffer<std::uint32_t, Where> begin_, gathered_;
  Buffer<unsigned long long, Where> place_, first_;
  SharedStretches stretches_;
};

}  // namespace srcextract
