#include "stages/detect/runs_by_source.hpp"

#include <algorithm>
#include <utility>

namespace srcextract {

RunsBySource group_runs(const Components<Cpu>& components, const Cpu& where) {
  RunsBySource by_source{Buffer<std::int32_t, Cpu>(components.counts->kept + 1, where), {}};
  // begin[l] is in turn how many runs label l has, where they begin and, with all in place, where they end: which is
  // where those of label l + 1 begin.
  Buffer<std::int32_t, Cpu>& begin = by_source.begin;
  std::fill(begin.begin(), begin.end(), 0);
  for (const std::int32_t label : components.label) ++begin[label];
  std::int32_t members = 0;
  begin[0] = 0;
  for (std::int64_t l = 1; l < begin.size(); ++l) members += std::exchange(begin[l], members);
  by_source.order = Buffer<std::int32_t, Cpu>(members, where);
  for (std::int64_t i = 0; i < components.label.size(); ++i) {
    const std::int32_t label = components.label[i];
    if (label > 0) by_source.order[begin[label]++] = static_cast<std::int32_t>(i);
  }
  return by_source;
}

}  // namespace srcextract
