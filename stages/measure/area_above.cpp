#include "stages/measure/area_above.hpp"

#include <algorithm>
#include <atomic>

#include "stages/core/contract.hpp"
#include "stages/core/parallel.hpp"

namespace srcextract {

Buffer<std::int64_t, Cpu> area_above(const Runs<Cpu>& runs, const Components<Cpu>& components, const Runs<Cpu>& above,
                                     const Cpu& where) {
  SRCEXTRACT_EXPECT(above.shape == runs.shape && are_in_raster_order(above) && are_labels_of(components, runs));
  constexpr std::int64_t rows_per_piece = 64;
  Buffer<std::int64_t, Cpu> area(components.counts->kept, where);
  std::fill(area.begin(), area.end(), 0);
  parallel_for(runs.shape.height, rows_per_piece, where, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t y = begin; y < end; ++y) {
      std::int64_t k = above.row_begin[y];
      for (std::int64_t i = runs.row_begin[y]; i < runs.row_begin[y + 1]; ++i) {
        if (components.label[i] == 0) continue;
        const Run& run = runs.runs[i];
        std::int64_t shared = 0;
        while (k < above.row_begin[y + 1] && above.runs[k].end <= run.begin) ++k;
        for (std::int64_t j = k; j < above.row_begin[y + 1] && above.runs[j].begin < run.end; ++j)
          shared += shared_pixels(run, above.runs[j]);
        // The addition is atomic, because other threads may add runs (consecutive pixels of a row) of the same source.
        // Sums of integers do not depend on the order.
        std::atomic_ref(area[components.label[i] - 1]).fetch_add(shared, std::memory_order_relaxed);
      }
    }
  });
  return area;
}

}  // namespace srcextract
