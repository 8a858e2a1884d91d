#pragma once

#include <cstdint>
#include <span>

#include "stages/detect/label.hpp"

namespace srcextract {

/// The runs (stretches of foreground pixels) of every source. `order` holds the indices of runs, source by source, and
/// in raster order within a source. The source with the label l has the elements of `order` from begin[l - 1] to
/// begin[l] - 1.
struct RunsBySource {
  using Members = std::span<const std::int32_t>;

  Buffer<std::int32_t, Cpu> begin;
  Buffer<std::int32_t, Cpu> order;

  /// Returns the indices of the runs of a source. `source` is counted from 0: the source has the label source + 1.
  Members members(std::int64_t source) const {
    return {order.data() + begin[source], order.data() + begin[source + 1]};
  }
};

RunsBySource group_runs(const Components<Cpu>& components, const Cpu& where);
/// `label` has the label of each run, from 1 to `sources`, or 0 for a run of no source.
RunsBySource group_runs(const Buffer<std::int32_t, Cpu>& label, std::int64_t sources, const Cpu& where);

}  // namespace srcextract
