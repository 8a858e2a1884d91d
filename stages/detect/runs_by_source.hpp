#pragma once

#include <cstdint>
#include <span>

#include "stages/detect/label.hpp"

namespace srcextract {

/// The runs of every source, in raster order: the runs of label l are order[begin[l - 1]] to order[begin[l] - 1].
struct RunsBySource {
  using Members = std::span<const std::int32_t>;

  Buffer<std::int32_t, Cpu> begin;
  Buffer<std::int32_t, Cpu> order;

  Members members(std::int64_t source) const {
    return {order.data() + begin[source], order.data() + begin[source + 1]};
  }
};

RunsBySource group_runs(const Components<Cpu>& components, const Cpu& where);
/// Groups runs by source, from the label of each run and the number of sources.
RunsBySource group_runs(const Buffer<std::int32_t, Cpu>& label, std::int64_t sources, const Cpu& where);

}  // namespace srcextract
