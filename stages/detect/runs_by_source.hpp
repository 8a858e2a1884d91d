#pragma once

#include <cstdint>
#include <span>

#include "stages/detect/label.hpp"

namespace srcextract {

/// The runs of every source. `order` holds the indices of runs, source by source, in raster order within a source.
/// Label l has the elements from begin[l - 1] to before begin[l].
struct RunsBySource {
  using Members = std::span<const std::int32_t>;

  Buffer<std::int32_t, Cpu> begin;
  Buffer<std::int32_t, Cpu> order;

  /// The indices of the runs of a source, which is counted from 0: label source + 1.
  Members members(std::int64_t source) const {
    return {order.data() + begin[source], order.data() + begin[source + 1]};
  }
};

RunsBySource group_runs(const Components<Cpu>& components, const Cpu& where);
/// Groups runs by source, from the label of each run and the number of sources.
RunsBySource group_runs(const Buffer<std::int32_t, Cpu>& label, std::int64_t sources, const Cpu& where);

}  // namespace srcextract
