#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "stages/core/rows_on_demand.hpp"

namespace srcextract {

/// As change_rows(). change() returns how many pixels it masked; `masked` receives the total, for rows on demand once
/// every row was held. Until then `masked` must exist.
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
