#pragma once

#include <array>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "tests/support/crowded_islands.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/wing_fields.hpp"

namespace srcextract::testing {

/// A configuration that cleans, and fields of which it absorbs something.
struct WayToClean {
  Config config;
  std::vector<Field> fields;
  bool varies;  ///< the noise, from pixel to pixel
};

/// With and without deblending, of every kind of area, contrast, connectivity and exponent.
inline WayToClean way_to_clean(unsigned seed, std::int64_t min_area, DeblendMethod method) {
  Config config;
  config.detection.min_area = min_area;
  config.detection.connectivity = seed % 3 == 0 ? 4 : 8;
  config.deblend = {method, seed % 5 == 0 ? 256 : 32, seed % 4 == 0 ? 0.005 : 0.0};
  config.deblend.clean = true;
  config.deblend.clean_beta = std::array{0.3, 1.0, 2.5}[seed % 3];
  std::vector<Field> fields = crowded_islands(seed % 6 == 0 ? 70 : 37, seed);
  for (Field& field : wing_fields(seed)) fields.push_back(std::move(field));
  if (seed % 5 == 2)
    for (Field& field : late_fields(seed)) fields.push_back(std::move(field));
  return {config, std::move(fields), seed % 4 == 1};
}

/// The same with a largest area, which some islands and some of their parts exceed. CLEAN may be off.
inline WayToClean way_to_drop(unsigned seed, DeblendMethod method, bool clean) {
  WayToClean way = way_to_clean(seed, 5, method);
  way.config.detection.max_area = 40;
  way.config.deblend.clean = clean;
  return way;
}

/// Calls `visit` with every one of them, of which sanitizers see two thirds.
template <class Visit>
void for_each_way_to_clean(const Visit& visit) {
  for (const DeblendMethod method : {DeblendMethod::none, DeblendMethod::tree})
    for (const bool clean : {false, true}) visit(way_to_drop(clean ? 4 : 5, method, clean));
  unsigned seed = 0;
  for (const std::int64_t min_area : {1, 2, 3, 5, 6, 20})
    for (const DeblendMethod method : {DeblendMethod::none, DeblendMethod::tree})
      if (++seed % 3 != 0 || !sanitized) visit(way_to_clean(seed, min_area, method));
}

}  // namespace srcextract::testing
