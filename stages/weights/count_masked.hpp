#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "stages/core/rows_on_demand.hpp"

namespace srcextract {

/// Changes rows of an image as change_rows() does, and counts the pixels that change() masks. change() returns the
/// count for its rows, and `masked` receives the sum over the image. If rows are made on demand (rows_on_demand.hpp),
/// the sum is complete only after every row was made once; `masked` must exist until then.
template <class Change>
void change_and_count(Image<float, Cpu>& image, std::int64_t& masked, const Cpu& where, Change change) {
  masked = 0;
  const auto once = std::make_shared<CountedOnce>(image.shape.height);
  change_rows(image, where,
              [once, &masked, change = std::move(change)](float* rows, std::int64_t begin, std::int64_t end) {
                const std::int64_t count = change(rows, begin, end);
                once->add(begin, end, [&] { masked += count; });
              });
}

}  // namespace srcextract
