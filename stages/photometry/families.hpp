#pragma once

#include <iterator>

#include "stages/photometry/annulus.hpp"
#include "stages/photometry/circles.hpp"
#include "stages/photometry/frame_sky.hpp"
#include "stages/photometry/growth_fluxes.hpp"
#include "stages/photometry/isophote_photons.hpp"
#include "stages/photometry/kron.hpp"
#include "stages/photometry/light_radii.hpp"
#include "stages/photometry/low_weight.hpp"
#include "stages/photometry/petrosian.hpp"
#include "stages/photometry/position_noise.hpp"
#include "stages/photometry/profile.hpp"
#include "stages/photometry/spread_model.hpp"
#include "stages/photometry/star_fit.hpp"
#include "stages/photometry/star_frames.hpp"
#include "stages/photometry/window.hpp"

namespace srcextract {

/// Results of a family for all sources, source by source, with `each` rows per source.
template <class Row, class Where>
struct FamilyRows {
  Buffer<Row, Where> rows;
  int each = 0;  ///< 0: the family is not measured

  /// The first row of a source; null if the family is not measured.
  const Row* of(std::int64_t source) const { return each > 0 ? rows.data() + source * each : nullptr; }
};

/// The families, in the order in which they are measured. A family may use earlier results of the same source. A new
/// one is its header and its place in this list.
///
/// A family is a header with a struct that holds what it needs of the configuration. The struct is small enough to be
/// passed to a kernel (4 KiB), and has
///  - Row: the type of a result; every source has rows() of them. A Row has a member `flags`, bits of FLAGS. A
///    record_fields for a buffer of rows exists.
///  - measure(lanes, source, image, which): computes row number `which` of a source, on host and device.
///  - rows_are_together and measure_rows(lanes, source, image, keep), in place of measure(), if the rows have one
///    computation. keep(which, row) is called for every row.
///  - are_measured_together(source) and measure_together(lanes, source, image, keep), if the host has a faster way.
///    The rows must be equal to the last bit.
///  - measure_in(lanes, source, found_in, image), if the family also needs the image in which sources were found.
///    measure() then passes one image for both.
///  - is_known(config), if the family is measured only where the configuration or the image tells something, such as
///    the shape of stars.
///  - usual_columns_use_it, if it is measured whatever columns are asked for.
///  - file: the NeededFile of numbers that it needs, if any. Its constructor takes them from Settings::resources.
///  - numbers_key and take_numbers(pointer), if a device shall read the numbers of that key's file from its own memory.
///    The numbers are copied to the device once (HandedNumbers), and may be of any size.
///  - scratch(): how many doubles each source needs while it is measured (Lanes::scratch), if any.
///  - name: the family's name in records and messages; `uses`: the names of the families whose results it uses, if any.
///  - columns: a list of RowColumn, each declared with its formula (stages/photometry/row_column.hpp);
///    `has_many_rows`: a column of each row, as NAME, NAME_1 ...
///
/// Pixels are summed only by `lanes` (stages/photometry/lanes.hpp); everything else must round alike on host and
/// device.
template <class... One>
struct FamilyList {};
using Families = FamilyList<FrameSkyFamily, IsophotePhotonFamily, CircleFamily, KronFamily, PetrosianFamily,
                            LightRadiusFamily, WindowFamily, ProfileFamily, PositionNoiseFamily, AnnulusFamily,
                            LowWeightFamily, StarFamily, StarFramesFamily, SpreadFamily, GrowthFamily>;

/// FamilyRows under a type of its own per family, since two families may share a type of row.
template <class One, class Where>
struct RowsOf : FamilyRows<typename One::Row, Where> {};

template <class List, class Where>
struct RowsOfEach;
template <class... One, class Where>
struct RowsOfEach<FamilyList<One...>, Where> : RowsOf<One, Where>... {};

/// Results of all families that are measured.
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

/// Whether a family has one column per row of a source: NAME, NAME_1 ...
template <class One>
inline constexpr bool has_many_rows = requires {
  One::has_many_rows;
};

/// Whether a family computes all rows of a source in one call (measure_rows).
template <class One>
inline constexpr bool rows_are_together = requires {
  One::rows_are_together;
};

/// Whether the host may measure all rows of a source in one call, while a device measures row by row.
template <class One>
inline constexpr bool rows_may_be_together = requires(const One& family, const MeasuredSource& source) {
  family.are_measured_together(source);
};

/// Whether a family also reads the image in which sources were found. Such a family has one row per source.
template <class One, class Lanes>
inline constexpr bool looks_at_both = requires(const One& family, const Lanes& lanes, const MeasuredSource& source,
                                               const PhotometryImage& image) {
  family.measure_in(lanes, source, image, image);
};

/// Measures row number `which` of a source in `image`. The source was found in `found_in`, which may be the same image.
/// For families whose rows are measured one by one.
template <class One, class Lanes>
SRCEXTRACT_HOST_DEVICE typename One::Row measure_row_in(const One& family, const Lanes& lanes,
                                                        const MeasuredSource& source, const PhotometryImage& found_in,
                                                        const PhotometryImage& image, int which) {
  if constexpr (looks_at_both<One, Lanes>) {
    return family.measure_in(lanes, source, found_in, image);
  } else {
    return family.measure(lanes, source, image, which);
  }
}

/// Measures all rows of a source on the host, and calls keep(which, row) for each. `found_in` is the image in which the
/// source was found.
template <class One, class Keep>
void measure_rows_in(const One& family, const HostLanes& lanes, const MeasuredSource& source,
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

/// The file that a family needs; its key is empty if the family needs none.
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

/// Doubles that a family needs for each source while it is measured.
template <class One>
int scratch_of(const One& family) {
  if constexpr (requires { family.scratch(); })
    return family.scratch();
  else
    return 0;
}

/// Whether a family is measured: the file or shape of stars that it needs is there, and a column asks for it or usual
/// columns use it.
template <class One>
bool is_measured(const ColumnChoice& choice, const Settings& config) {
  if constexpr (requires { One::is_known(config); })
    if (!One::is_known(config)) return false;
  if constexpr (requires { One::usual_columns_use_it; }) return true;
  return choice.needs(One::name) && is_read(file_of<One>(), config);
}

/// Bytes of memory that a source takes beside its usual columns: the rows of its families, and the columns made of
/// them.
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
    if (!one.is_usual() && one.families[0].empty() && choice.fills(one.column.name))
      bytes += static_cast<std::int64_t>(sizeof(double));
  return bytes == 0 ? 0 : bytes + static_cast<std::int64_t>(sizeof(FluxCalibration));
}

/// Whether a configuration asks for a column of any family.
inline bool measures_photometry(const Settings& config) {
  const ColumnChoice choice(config.output.columns);
  bool any = false;
  for_each_family([&]<class One>() { any = any || is_measured<One>(choice, config); });
  return any;
}

}  // namespace srcextract
