#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "stages/photometry/annulus.hpp"
#include "stages/photometry/circles.hpp"
#include "stages/photometry/frame_sky.hpp"
#include "stages/photometry/growth_fluxes.hpp"
#include "stages/photometry/isophote_photons.hpp"
#include "stages/photometry/kron.hpp"
#include "stages/photometry/light_radii.hpp"
#include "stages/photometry/low_weight.hpp"
#include "stages/photometry/petrosian.hpp"
#include "stages/photometry/petrosian_half_light.hpp"
#include "stages/photometry/position_noise.hpp"
#include "stages/photometry/profile.hpp"
#include "stages/photometry/spread_model.hpp"
#include "stages/photometry/star_fit.hpp"
#include "stages/photometry/star_frames.hpp"
#include "stages/photometry/window.hpp"

namespace srcextract {

/// Results of a family (a group of measurements, see Families) for all sources, source by source, with `each` rows per
/// source.
template <class Row, class Where>
struct FamilyRows {
  Buffer<Row, Where> rows;
  int each = 0;  ///< number of rows per source; 0 if the family is not measured

  /// Returns the first row of a source (index from 0); null if the family is not measured.
  const Row* of(std::int64_t source) const { return each > 0 ? rows.data() + source * each : nullptr; }
};

/// The families, in the order in which they are measured. A family is a struct that measures one group of columns, such
/// as all FLUX_APER. A family may use earlier results of the same source. A new family needs its header and an entry in
/// this list, after the families that it uses.
///
/// The struct stores the values of the configuration that it needs. The struct must fit into the arguments of a GPU
/// kernel (4 KiB), and has the following members; those with "optional" may be missing.
///  - Row: the type of a result; every source has rows() of them. A Row has a member `flags`, whose bits are added to
///    FLAGS. A function record_fields() for a buffer of rows must exist.
///  - measure(lanes, source, image, which): computes row number `which` of a source, on host and GPU.
///  - rows_are_together and measure_rows(lanes, source, image, keep), in place of measure(), if one computation gives
///    all rows. measure_rows() calls keep(which, row) for every row.
///  - Optional: are_measured_together(source) and measure_together(lanes, source, image, keep), if the host has a
///    faster way to compute all rows. The rows must equal those of measure() to the last bit.
///  - Optional: measure_in(lanes, source, found_in, image), if the family also needs the detection image. measure()
///    then passes one image for both.
///  - Optional: is_known(config), false if the configuration or the image lacks something that the family needs, such
///    as the shape of stars.
///  - Optional: usual_columns_use_it, if the family is measured even if no column of it is requested.
///  - Optional: file, the NeededFile whose numbers the family needs. The constructor reads the numbers from
///    Settings::resources.
///  - Optional: numbers_key and take_numbers(pointer), if a GPU reads the numbers of that key's file from its own
///    memory. The numbers are copied to the GPU once (HandedNumbers), and may be of any size.
///  - Optional: scratch(), the number of doubles of working memory per source (Lanes::scratch).
///  - name: the family's name in records and messages.
///  - Optional: uses, the FamilyList of the families whose results it reads. Its functions then take a SourceWith<uses>
///    (stages/photometry/measured_source.hpp), and read source.of<Other>(). Asking for a column of the family makes the
///    others measured, and also those that the others use.
///  - columns: a list of RowColumn, each declared with its formula (stages/measure/row_column.hpp). Optional:
///    has_many_rows, if each row of a source has its own column: NAME, NAME_1 ...
///
/// A family sums pixels only by `lanes` (stages/photometry/lanes.hpp). All other arithmetic must round the same on host
/// and GPU.
using Families =
    FamilyList<FrameSkyFamily, IsophotePhotonFamily, CircleFamily, KronFamily, PetrosianFamily, LightRadiusFamily,
               PetrosianHalfLightFamily, WindowFamily, ProfileFamily, PositionNoiseFamily, AnnulusFamily,
               LowWeightFamily, StarFamily, StarFramesFamily, SpreadFamily, GrowthFamily>;

/// Place of One in a list of families, from 0; the length of the list if One is missing.
template <class One, class... All>
constexpr std::size_t place_in(FamilyList<All...>) {
  std::size_t place = 0;
  static_cast<void>(((std::is_same_v<One, All> || (++place, false)) || ...));
  return place;
}

/// Does not compile unless Families has the family Used, before its user One.
template <class One, class Used>
constexpr bool comes_after() {
  static_assert(place_in<Used>(Families{}) < place_in<One>(Families{}),
                "in Families, a family (One) must stand after every family that it uses (Used)");
  return true;
}
template <class One, class... Used>
constexpr bool comes_after_all(FamilyList<Used...>) {
  return (comes_after<One, Used>() && ...);
}
template <class... One>
constexpr bool are_in_order(FamilyList<One...>) {
  return (comes_after_all<One>(UsesOf<One>{}) && ...);
}
static_assert(are_in_order(Families{}));
static_assert(place_in<FrameSkyFamily>(Families{}) == 0, "MeasuredSource::local_sky is the result of FrameSkyFamily");

/// Whether One uses Other, directly or through a family that One uses.
template <class One, class Other>
constexpr bool uses_family() {
  return []<class... Used>(FamilyList<Used...>) {
    return ((std::is_same_v<Used, Other> || uses_family<Used, Other>()) || ...);
  }(UsesOf<One>{});
}

template <class One, class... All>
constexpr auto names_with_uses(FamilyList<All...>) {
  std::array<std::string_view, 1 + (std::size_t{uses_family<One, All>()} + ...)> names{One::name};
  std::size_t count = 1;
  const auto add = [&](bool is_used, std::string_view name) {
    if (is_used) names[count++] = name;
  };
  (add(uses_family<One, All>(), All::name), ...);
  return names;
}
/// The name of a family, and the names of all families that must be measured before it, directly used or not.
template <class One>
inline constexpr auto family_names = names_with_uses<One>(Families{});

/// FamilyRows as a distinct type for each family, so that Photometry can have two families with the same type of row as
/// base classes.
template <class One, class Where>
struct RowsOf : FamilyRows<typename One::Row, Where> {};

template <class List, class Where>
struct RowsOfEach;
template <class... One, class Where>
struct RowsOfEach<FamilyList<One...>, Where> : RowsOf<One, Where>... {};

template <class Where>
struct Photometry : RowsOfEach<Families, Where> {
  template <class One>
  FamilyRows<typename One::Row, Where>& of() {
    return static_cast<RowsOf<One, Where>&>(*this);
  }
  template <class One>
  const FamilyRows<typename One::Row, Where>& of() const {
    return static_cast<const RowsOf<One, Where>&>(*this);
  }
};

/// Calls f.template operator()<One>() for each family One, in the order of Families.
template <class F>
void for_each_family(F&& f) {
  [&]<class... One>(FamilyList<One...>) { (f.template operator()<One>(), ...); }(Families{});
}

/// Whether each row of a source has its own column: NAME, NAME_1 ...
template <class One>
inline constexpr bool has_many_rows = requires {
  One::has_many_rows;
};

/// Whether a family computes all rows of a source in one call (measure_rows).
template <class One>
inline constexpr bool rows_are_together = requires {
  One::rows_are_together;
};

/// Whether the host can measure all rows of a source in one call, while a GPU measures row by row.
template <class One>
inline constexpr bool rows_may_be_together = requires(const One& family, const SourceOf<One>& source) {
  family.are_measured_together(source);
};

/// Whether a family also reads the detection image. Such a family has one row per source.
template <class One, class Lanes>
inline constexpr bool looks_at_both = requires(const One& family, const Lanes& lanes, const SourceOf<One>& source,
                                               const PhotometryImage& image) {
  family.measure_in(lanes, source, image, image);
};

/// Measures row number `which` of a source in `image`. `found_in` is the detection image, which may be the same image.
/// Not for families with rows_are_together.
template <class One, class Lanes>
SRCEXTRACT_HOST_DEVICE typename One::Row measure_row_in(const One& family, const Lanes& lanes,
                                                        const SourceOf<One>& source, const PhotometryImage& found_in,
                                                        const PhotometryImage& image, int which) {
  if constexpr (looks_at_both<One, Lanes>) {
    return family.measure_in(lanes, source, found_in, image);
  } else {
    return family.measure(lanes, source, image, which);
  }
}

/// Measures all rows of a source on the host, and calls keep(which, row) for each row. `found_in` is the detection
/// image.
template <class One, class Keep>
void measure_rows_in(const One& family, const HostLanes& lanes, const SourceOf<One>& source,
                     const PhotometryImage& found_in, const PhotometryImage& image, const Keep& keep) {
  if constexpr (rows_are_together<One>) {
    family.measure_rows(lanes, source, image, keep);
  } else {
    if constexpr (rows_may_be_together<One>)
      if (family.are_measured_together(source)) return family.measure_together(lanes, source, image, keep);
    for (int which = 0; which < family.rows(); ++which)
      keep(which, measure_row_in(family, lanes, source, found_in, image, which));
  }
}

/// Returns the file that a family needs; `key` is empty if the family needs no file.
template <class One>
constexpr NeededFile file_of() {
  if constexpr (requires { One::file; })
    return One::file;
  else
    return {};
}

/// Whether the numbers of a family's file have been read, or the family needs no file.
inline bool is_read(const NeededFile& file, const Settings& config) {
  return file.key.empty() || config.resources.numbers_of(file.key) != nullptr;
}

template <class One>
int scratch_of(const One& family) {
  if constexpr (requires { family.scratch(); })
    return family.scratch();
  else
    return 0;
}

/// Whether everything that a family needs is available: is_known(), its file, and the families that it uses.
template <class One>
bool can_be_measured(const Settings& config) {
  if constexpr (requires { One::is_known(config); })
    if (!One::is_known(config)) return false;
  return is_read(file_of<One>(), config) &&
         [&]<class... Used>(FamilyList<Used...>) { return (can_be_measured<Used>(config) && ...); }(UsesOf<One>{});
}

/// Whether a family is measured: it can be, and a column of it or of a family that uses it is requested, or the usual
/// columns use it.
template <class One>
bool is_measured(const ColumnChoice& choice, const Settings& config) {
  if (!can_be_measured<One>(config)) return false;
  if constexpr (requires { One::usual_columns_use_it; }) return true;
  return choice.needs(One::name);
}

/// Memory in bytes that a source needs in addition to its usual columns: the rows of its families, and the columns
/// computed from the rows.
inline std::int64_t photometry_bytes(const Settings& config) {
  const ColumnChoice choice(config.output.columns);
  std::int64_t bytes = 0;
  for_each_family([&]<class One>() {
    if (!is_measured<One>(choice, config)) return;
    std::int64_t of_row = sizeof(typename One::Row);
    of_row += static_cast<std::int64_t>(sizeof(double)) * std::ssize(One::columns);
    bytes += One(config).rows() * of_row;
  });
  for (const DeclaredColumn& one : declared_columns())
    if (!one.is_usual() && one.families.empty() && choice.fills(one.column.name))
      bytes += static_cast<std::int64_t>(sizeof(double));
  return bytes == 0 ? 0 : bytes + static_cast<std::int64_t>(sizeof(FluxCalibration));
}

/// Whether any family is measured with this configuration.
inline bool measures_photometry(const Settings& config) {
  const ColumnChoice choice(config.output.columns);
  bool any = false;
  for_each_family([&]<class One>() { any = any || is_measured<One>(choice, config); });
  return any;
}

}  // namespace srcextract
