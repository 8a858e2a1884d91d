#include "pipeline/extract/star_residuals.hpp"

#include <cmath>
#include <unordered_map>
#include <vector>

namespace srcextract {
namespace {

constexpr double reach = 8;  // pixels

/// The rows of one sign (brighter or fainter), in a grid of squares with side `reach`. is_near(row) tells whether a row
/// of that sign is within `reach` of the given row.
class Neighbours {
 public:
  Neighbours(const Sources& rows, bool brighter) : rows_(rows) {
    const std::vector<std::int16_t>& sign = rows[columns::sign];
    for (std::size_t row = 0; row < sign.size(); ++row)
      if ((sign[row] > 0) == brighter) squares_[square(column(row), line(row))].push_back(row);
  }

  bool is_near(std::size_t row) const {
    for (std::int64_t y = line(row) - 1; y <= line(row) + 1; ++y) {
      for (std::int64_t x = column(row) - 1; x <= column(row) + 1; ++x) {
        const auto there = squares_.find(square(x, y));
        if (there == squares_.end()) continue;
        for (const std::size_t other : there->second)
          if (std::hypot(rows_.x_image[row] - rows_.x_image[other], rows_.y_image[row] - rows_.y_image[other]) < reach)
            return true;
      }
    }
    return false;
  }

 private:
  std::int64_t column(std::size_t row) const {
    return static_cast<std::int64_t>(std::floor(rows_.x_image[row] / reach));
  }
  std::int64_t line(std::size_t row) const { return static_cast<std::int64_t>(std::floor(rows_.y_image[row] / reach)); }
  static std::int64_t square(std::int64_t x, std::int64_t y) { return y * (std::int64_t{1} << 31) + x; }

  const UsualValues rows_;
  std::unordered_map<std::int64_t, std::vector<std::size_t>> squares_;
};

}  // namespace

StarResiduals find_star_residuals(const Sources& catalogue, double sigma, double gain) {
  constexpr double least_share = 0.3, share_of_pairs = 0.5;
  StarResiduals found;
  const Neighbours brighter(catalogue, true), fainter(catalogue, false);
  const UsualValues changes(catalogue);
  const std::vector<std::int16_t>& sign = catalogue[columns::sign];
  for (std::size_t row = 0; row < sign.size(); ++row) {
    const double photons =
        changes.fluxerr_iso[row] * changes.fluxerr_iso[row] - static_cast<double>(changes.npix[row]) * sigma * sigma;
    const double change = std::abs(changes.flux_iso[row]), light = gain * photons;
    const bool whole =
        gain > 0 && !(change < share_of_pairs * light);  // an object that moved away from here, or to here
    found.paired += !whole && (sign[row] > 0 ? fainter : brighter).is_near(row) ? 1 : 0;
    found.faint_changes += change < least_share * light ? 1 : 0;
  }
  return found;
}

}  // namespace srcextract
