#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stages/catalogue/sources.hpp"

namespace srcextract {

/// What further columns are made of: a family is measured if a column of it is asked for.
enum class Family {
  isophote,       ///< nothing more than the usual columns
  circles,        ///< light in circles (stages/photometry/circles.hpp)
  kron,           ///< light in ellipses by Kron's radius (stages/photometry/kron.hpp)
  petrosian,      ///< by Petrosian's (stages/photometry/petrosian.hpp)
  light_radii,    ///< circles that hold a part of the light of `kron` (stages/photometry/light_radii.hpp)
  window,         ///< moments under a window as wide as `light_radii` tell (stages/photometry/window.hpp)
  profile,        ///< from the peak to the threshold (stages/photometry/profile.hpp)
  position_noise  ///< what noise does to positions (stages/photometry/position_noise.hpp)
};

/// A column that is in the catalogue if `output.columns` asks for it.
struct MeasuredColumn {
  Column column;
  Family family;
  const char* group;      ///< of output.columns that it is in
  bool repeated = false;  ///< one for each radius: NAME, NAME_1, NAME_2 ...
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
  /// Whether a column is to be written that needs the family, or that needs another which needs it.
  bool needs(Family family) const;

 private:
  std::vector<std::string> names_;
};

}  // namespace srcextract
