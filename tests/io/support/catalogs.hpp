#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "io/catalog/catalog.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/usual_sources.hpp"

namespace srcextract::testing {

inline const std::string long_line = "  hdu: '" + std::string(100, 'n') + "'  # it's quoted";
inline const CatalogMetadata metadata = {"1.2.3", "input:\n" + long_line + "\ndetection:\n  threshold: 5\n"};

/// Three sources with values a person would choose.
inline Sources three_sources(const std::vector<std::string_view>& also = {}) {
  Sources s = usual_sources(3, also);
  for_each_column(s, []<class T>(const Column&, std::vector<T>& values) { values.assign(3, T{1}); });
  s[columns::number] = {1, 2, 3};
  s[columns::x_image] = {10.5, 20.25, 0.1};
  s[columns::y_image] = {11, 1e-7, 1234.5678901234567};
  s[columns::a_image] = {2, 0, std::numeric_limits<double>::quiet_NaN()};
  s[columns::b_image] = {1.5, 0, std::numeric_limits<double>::quiet_NaN()};
  s[columns::theta_image] = {-30, 0, std::numeric_limits<double>::quiet_NaN()};
  s[columns::flags] = {0, 8, 9};
  s[columns::npix] = {5, 6, 5'000'000'000};
  return s;
}

inline std::string written(const TemporaryFolder& directory, CatalogFormat format, const Sources& sources,
                           const CatalogMetadata& beside = metadata) {
  const std::string path = directory / (std::string("sky") + extension(format));
  write_catalog(path, format, sources, beside, Cpu{3}).commit();
  return path;
}

}  // namespace srcextract::testing
