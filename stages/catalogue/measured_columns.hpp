#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "stages/catalogue/sources.hpp"

namespace srcextract {

/// What further columns are made of: a family is measured if a column of it is asked for.
enum class Family {
  isophote,        ///< nothing more than the usual columns
  circles,         ///< light in circles (stages/photometry/circles.hpp)
  kron,            ///< light in ellipses by Kron's radius (stages/photometry/kron.hpp)
  petrosian,       ///< by Petrosian's (stages/photometry/petrosian.hpp)
  light_radii,     ///< circles that hold a part of the light of `kron` (stages/photometry/light_radii.hpp)
  window,          ///< moments under a window as wide as `light_radii` tell (stages/photometry/window.hpp)
  profile,         ///< from the peak to the threshold (stages/photometry/profile.hpp)
  position_noise,  ///< what noise does to positions (stages/photometry/position_noise.hpp)
  annulus,         ///< the sky about a source (stages/photometry/annulus.hpp)
  low_weight,      ///< bad pixels in and beside a source (stages/photometry/low_weight.hpp)
  classifier,      ///< what a network makes of `profile` (stages/photometry/star_network.hpp)
  best,            ///< `kron`, or the corrected isophote where neighbours are in the way
  sky              ///< other columns on the sky, by the image's WCS (pipeline/extract/sky_columns.hpp)
};

/// How the values of a column are stored: whole numbers of so many bits, with a sign, or real ones.
enum class ColumnType { int16, int32, int64, float64 };

/// The type that stores values of the type T.
template <class T>
constexpr ColumnType column_type() {
  static_assert(std::is_same_v<T, double> || std::is_integral_v<T>);
  if (std::is_same_v<T, double>) return ColumnType::float64;
  return sizeof(T) == 2 ? ColumnType::int16 : sizeof(T) == 4 ? ColumnType::int32 : ColumnType::int64;
}

/// The columns that a column is made of. Of one on the sky those in pixels: x and y of a place, and what is to be
/// turned there: second moments (of x, of y, and both), or one length or area.
using ColumnNeeds = std::array<std::string_view, 5>;

/// A column that is in the catalogue if `output.columns` asks for it.
struct MeasuredColumn {
  Column column;
  Family family;
  const char* group;      ///< of output.columns that it is in
  bool repeated = false;  ///< one for each radius: NAME, NAME_1, NAME_2 ...
  ColumnType type = ColumnType::float64;
  ColumnNeeds needs = {};  ///< of Family::sky, Family::best and Family::classifier
};

/// All of them, in catalogue order. How values follow from what was measured stands with the family.
std::span<const MeasuredColumn> measured_columns();

/// The words that stand for several columns: `default` for those that there are without being asked for, the groups of
/// measured_columns, and `all`.
std::vector<std::string> column_groups();

/// Every name that may be asked for, groups first.
std::vector<std::string> column_names();

/// What `asked`, words of column_names(), asks for.
class ColumnChoice {
 public:
  explicit ColumnChoice(const std::vector<std::string>& asked);

  /// Whether that column is to be written; one of several by the name that all have in common.
  bool has(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }
  /// Whether a column of measured_columns() has to be filled: it is to be written, or another that is made of it is.
  bool fills(std::string_view name) const;
  /// Whether a column has to be filled that needs the family, or that needs another which needs it.
  bool needs(Family family) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace srcextract
