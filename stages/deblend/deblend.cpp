#include "stages/deblend/deblend.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "stages/core/contract.hpp"
#include "stages/core/parallel.hpp"
#include "stages/core/rows_on_demand.hpp"
#include "stages/deblend/claims.hpp"
#include "stages/deblend/core_shape.hpp"
#include "stages/deblend/pieces.hpp"
#include "stages/deblend/split_islands.hpp"
#include "stages/measure/measure.hpp"

namespace srcextract {
namespace {

constexpr std::int64_t pieces_at_a_time = 1024;

/// In a list that has the elements of all split islands (connected sets of foreground pixels), one island after
/// another: returns the index after the last element of island i. `first` is the member with the index of an island's
/// first element. `all` is the size of the list.
std::int64_t end_of(const SplitIslands& split, std::size_t i, std::int64_t SplitIsland::*first, std::int64_t all) {
  return i + 1 < split.islands.size() ? split.islands[i + 1].*first : all;
}

/// Cuts the runs (stretches of foreground pixels of a row) where cores (parts of islands that become sources) begin and
/// end, and labels each resulting run with the index of its core in `split` plus 1. Runs outside of cores get the label
/// 0.
CorePixels<Cpu> cut_cores(const Runs<Cpu>& runs, const SplitIslands& split, const Cpu& where) {
  CorePixels<Cpu> cut;
  const auto in_none = [](std::int64_t) { return -1; };
  cut_runs(runs, split.pieces, in_none, cut.runs, cut.cores.label, where);
  for (std::int32_t& label : cut.cores.label) ++label;
  cut.cores.counts->kept = std::ssize(split.core_level);
  return cut;
}

/// For each core of one island, counts the pixels of the measured image above the core's level, and above the mean of
/// level and peak. `pieces` must be all pieces of the island.
std::vector<IsophoteCounts> count_pixels(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs,
                                         std::span<const Piece> pieces, std::span<const float> levels,
                                         std::int64_t first_core) {
  std::vector<IsophoteCounts> counts;
  for (const float level : levels) counts.push_back({level, -std::numeric_limits<float>::infinity(), 0, 0});
  const auto for_each_pixel = [&](const auto& body) {
    for (const Piece& piece : pieces) {
      if (piece.owner < 0) continue;
      IsophoteCounts& core = counts[static_cast<std::size_t>(piece.owner - first_core)];
      const float* row = images.measured.pixels.data() + runs.runs[piece.run].y * images.measured.shape.width;
      for (std::int64_t x = piece.begin; x < piece.end; ++x)
        body(core, above_level(static_cast<double>(row[x]), images.levels->background));
    }
  };
  const HeldRows held(images.measured, runs.runs[pieces.front().run].y, runs.runs[pieces.back().run].y + 1);
  for_each_pixel([](IsophoteCounts& core, float value) {
    core.peak = std::max(core.peak, value);
    core.above += value > core.level ? 1 : 0;
  });
  for_each_pixel([](IsophoteCounts& core, float value) { core.above_half += value > core.half_way() ? 1 : 0; });
  return counts;
}

/// For each core (the part of an island that becomes a source), computes the Gaussian by which leftover pixels are
/// divided among the cores (docs/stages/deblend.md, step 4).
std::vector<CoreShape> find_shapes(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs, const SplitIslands& split,
                                   const Buffer<SourceSums, Cpu>& sums, const Cpu& where) {
  const bool one_threshold = !images.noise.varies();
  std::vector<CoreShape> shapes(split.core_level.size());
  parallel_for(std::ssize(split.islands), islands_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const SplitIsland& island = split.islands[i];
      const std::int64_t last_piece = end_of(split, i, &SplitIsland::first_piece, std::ssize(split.pieces));
      const std::int64_t last_core = end_of(split, i, &SplitIsland::first_core, std::ssize(split.core_level));
      const auto cores = static_cast<std::size_t>(last_core - island.first_core);
      std::vector<IsophoteCounts> counts;
      if (one_threshold)
        counts = count_pixels(images, runs,
                              std::span(split.pieces)
                                  .subspan(static_cast<std::size_t>(island.first_piece),
                                           static_cast<std::size_t>(last_piece - island.first_piece)),
                              std::span(split.core_level).subspan(static_cast<std::size_t>(island.first_core), cores),
                              island.first_core);
      for (std::size_t k = 0; k < cores; ++k) {
        const SourceSums& core = sums[island.first_core + static_cast<std::int64_t>(k)];
        shapes[static_cast<std::size_t>(island.first_core) + k] =
            shape_of(core, above_level(static_cast<double>(core.peak), images.levels->background),
                     one_threshold ? &counts[k] : nullptr, island.threshold);
      }
    }
  });
  return shapes;
}

/// Gives each pixel of `piece`, which is in no core, to a core of its island. Appends the resulting pieces to `to`. y
/// is the row of the piece.
void share_out(const Piece& piece, std::int32_t y, const Claims& claims, std::int64_t first_core,
               std::vector<Piece>& to) {
  std::int32_t owner = 0;
  for (std::int32_t x = piece.begin; x < piece.end; ++x) {
    owner = claims.owner_of(x, y, owner);
    append({piece.run, x, x + 1, static_cast<std::int32_t>(first_core) + owner}, to);
  }
}

/// Returns the pixels of all split islands as pieces of runs, after each pixel outside of cores was given to a core.
std::vector<Piece> share_out_islands(const Runs<Cpu>& runs, const SplitIslands& split,
                                     std::span<const CoreShape> shapes, const Cpu& where) {
  std::vector<Claims> claims;
  for (std::size_t i = 0; i < split.islands.size(); ++i) {
    const std::int64_t first = split.islands[i].first_core;
    const std::int64_t last = end_of(split, i, &SplitIsland::first_core, std::ssize(split.core_level));
    claims.emplace_back(shapes.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
  }
  const std::int64_t pieces = std::ssize(split.pieces);
  std::vector<std::vector<Piece>> parts(static_cast<std::size_t>((pieces + pieces_at_a_time - 1) / pieces_at_a_time));
  parallel_for(pieces, pieces_at_a_time, where, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Piece>& part = parts[static_cast<std::size_t>(begin / pieces_at_a_time)];
    auto island = std::ranges::upper_bound(split.islands, begin, {}, &SplitIsland::first_piece) - 1;
    for (std::int64_t i = begin; i < end; ++i) {
      const Piece& piece = split.pieces[static_cast<std::size_t>(i)];
      while (island + 1 != split.islands.end() && (island + 1)->first_piece <= i) ++island;
      if (piece.owner >= 0) {
        append(piece, part);
      } else {
        const Claims& of_island = claims[static_cast<std::size_t>(island - split.islands.begin())];
        share_out(piece, runs.runs[piece.run].y, of_island, island->first_core, part);
      }
    }
  });
  std::vector<Piece> all;
  for (const std::vector<Piece>& part : parts)
    for (const Piece& piece : part) append(piece, all);
  return all;
}

/// Replaces the owner of each run by a source number. An owner is an index of `of_owner`, or -1, which becomes 0.
/// Sources are numbered from 1 in the order in which they first appear in the runs. Sets deblended.parentage. Returns
/// the source number of every owner.
std::vector<std::int32_t> number_sources(Buffer<std::int32_t, Cpu>& owner, std::span<const Parentage> of_owner,
                                         Deblended<Cpu>& deblended, const Cpu& where) {
  deblended.parentage = Buffer<Parentage, Cpu>(std::ssize(of_owner), where);
  std::vector<std::int32_t> number(of_owner.size(), 0);
  std::int32_t numbered = 0;
  for (std::int32_t& of_run : owner) {
    if (of_run < 0) {
      of_run = 0;
      continue;
    }
    std::int32_t& label = number[static_cast<std::size_t>(of_run)];
    if (label == 0) {
      deblended.parentage[numbered] = of_owner[static_cast<std::size_t>(of_run)];
      label = ++numbered;
    }
    of_run = label;
  }
  deblended.components.counts->kept = numbered;
  return number;
}

/// Replaces the labels of cores by the numbers of their sources, and sets CorePixels::place. `number` has the source
/// number of every owner; the cores are the first owners.
void number_cores(std::span<const std::int32_t> number, const SplitIslands& split, CorePixels<Cpu>& cut,
                  const Cpu& where) {
  for (std::int32_t& label : cut.cores.label)
    if (label > 0) label = number[static_cast<std::size_t>(label - 1)];
  cut.cores.counts->kept = std::ssize(number);
  cut.place = Buffer<std::int32_t, Cpu>(std::ssize(number), where);
  std::fill(cut.place.begin(), cut.place.end(), 0);
  for (std::size_t core = 0; core < split.core_place.size(); ++core)
    cut.place[number[core] - 1] = split.core_place[core];
}

}  // namespace

std::int64_t deblend_memory(const Runs<Cpu>& runs, const Components<Cpu>& components, const Cpu& where) {
  // Upper limits in bytes per pixel, as if every pixel were a node of the level tree and a piece. Measurements on noise
  // and on a lattice of peaks gave 25 bytes per pixel in all.
  constexpr std::int64_t tree_bytes = 61, piece_bytes = 32, source_bytes = 64;
  std::vector<std::int64_t> pixels(static_cast<std::size_t>(components.counts->kept) + 1, 0);
  for (std::size_t run = 0; run < static_cast<std::size_t>(runs.runs.size()); ++run)
    pixels[static_cast<std::size_t>(components.label[run])] += runs.runs[run].end - runs.runs[run].begin;
  pixels[0] = 0;  // runs with the label 0, whose islands are too small to be sources
  const std::int64_t all = std::accumulate(pixels.begin(), pixels.end(), std::int64_t{0});
  const std::int64_t at_a_time = std::max(where.threads, 1) * std::ranges::max(pixels);
  return std::min(all, at_a_time) * tree_bytes + all * piece_bytes + std::ssize(pixels) * source_bytes;
}

Deblended<Cpu> deblend_sources(const DeblendImages<Cpu>& images, const Runs<Cpu>& runs,
                               const Components<Cpu>& components, const Settings& config, const Cpu& where) {
  SRCEXTRACT_EXPECT(are_alike(images.found, images.measured) && images.found.shape == runs.shape);
  SRCEXTRACT_EXPECT(are_in_raster_order(runs) && are_labels_of(components, runs));
  const SplitIslands split = split_islands(images, runs, components, config, where);
  CorePixels<Cpu> cut = cut_cores(runs, split, where);
  const Buffer<SourceSums, Cpu> sums =
      measure_sources(images.found, cut.runs, cut.cores, images.levels, MaskCounts{}, where);
  if (!config.deblend.clean) cut = {};
  const std::vector<CoreShape> shapes = find_shapes(images, runs, split, sums, where);
  const std::vector<Piece> pieces = share_out_islands(runs, split, shapes, where);

  // Owners are first all cores, then all islands that were not split.
  std::vector<Parentage> of_owner;
  std::vector<std::int32_t> owner_of_label(static_cast<std::size_t>(components.counts->kept) + 1, 0);
  for (std::size_t i = 0; i < split.islands.size(); ++i) {
    const SplitIsland& island = split.islands[i];
    const std::int64_t last = end_of(split, i, &SplitIsland::first_core, std::ssize(split.core_level));
    for (std::int64_t core = island.first_core; core < last; ++core)
      of_owner.push_back(parentage_of(island.label, sums[core], shapes[static_cast<std::size_t>(core)], runs.shape));
    owner_of_label[static_cast<std::size_t>(island.label)] = -1;
  }
  owner_of_label[0] = -1;
  for (std::size_t label = 1; label < owner_of_label.size(); ++label) {
    if (owner_of_label[label] < 0) continue;
    owner_of_label[label] = static_cast<std::int32_t>(of_owner.size());
    of_owner.push_back(parentage_of_whole(static_cast<std::int32_t>(label)));
  }

  Deblended<Cpu> deblended;
  deblended.components.counts = components.counts;
  const auto owner_of_whole = [&](std::int64_t run) {
    return owner_of_label[static_cast<std::size_t>(components.label[run])];
  };
  cut_runs(runs, pieces, owner_of_whole, deblended.runs, deblended.components.label, where);
  check_run_count(deblended.runs.runs.size());
  const std::vector<std::int32_t> number = number_sources(deblended.components.label, of_owner, deblended, where);
  if (config.deblend.clean) {
    number_cores(number, split, cut, where);
    deblended.core_pixels = std::move(cut);
  }
  return deblended;
}

}  // namespace srcextract
