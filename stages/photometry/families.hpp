#pragma once

#include "stages/photometry/annulus.hpp"
#include "stages/photometry/circles.hpp"
#include "stages/photometry/kron.hpp"
#include "stages/photometry/light_radii.hpp"
#include "stages/photometry/low_weight.hpp"
#include "stages/photometry/petrosian.hpp"
#include "stages/photometry/position_noise.hpp"
#include "stages/photometry/profile.hpp"
#include "stages/photometry/window.hpp"

namespace srcextract {

/// What a family has measured: `each` rows of every source, source by source.
template <class Row, class Where>
struct FamilyRows {
  Buffer<Row, Where> rows;
  int each = 0;  ///< 0: the family was not asked for

  /// The first of a source; null where the family was not asked for.
  const Row* of(std::int64_t source) const { return each > 0 ? rows.data() + source * each : nullptr; }
};

/// What all families that were asked for have measured.
template <class Where>
struct Photometry {
  FamilyRows<CircleFlux, Where> circles;
  FamilyRows<EllipseFlux, Where> kron;
  FamilyRows<EllipseFlux, Where> petrosian;
  FamilyRows<LightRadius, Where> light_radii;
  FamilyRows<WindowedSource, Where> window;
  FamilyRows<ProfileRow, Where> profile;
  FamilyRows<PositionNoise, Where> position_noise;
  FamilyRows<AnnulusSky, Where> annulus;
  FamilyRows<LowWeight, Where> low_weight;
};

/// The list of families, in the order in which they are measured: a family may use what those before it have measured
/// of the same source. Calls f.template operator()<Family>(rows_of), where rows_of(photometry) is what it has measured.
///
/// A family is a header with its definition: a struct of what it needs of a configuration, small enough to be handed to
/// a kernel, with
///  - Row: what it measures, one of rows() for every source; with a record_fields of a buffer of them and a member
///    `flags`, bits of FLAGS;
///  - measure(lanes, source, image, which): the row number `which` of a source, on host and device; or, where its rows
///    are of one thing, `rows_are_together` and measure_rows(lanes, source, image, keep), which calls keep(which, row)
///    for all of them. Where the host has a way of its own to do so, to the same bits, are_measured_together(source)
///    and measure_together(source, image, keep) have it. A family that looks at the image in which sources were found,
///    where that is another, has measure_in(lanes, source, found_in, image), of which measure() is that with one image
///    for both. Pixels are summed by `lanes` alone (stages/photometry/lanes.hpp), and everything else must round alike
///    on both;
///  - for_each_value(f): how a value of each of its columns follows from a row, in the type in which it is written.
/// Its columns are declared in stages/catalogue/measured_columns.cpp.
template <class F>
void for_each_family(F&& f) {
  f.template operator()<CircleFamily>([](auto& all) -> auto& { return all.circles; });
  f.template operator()<KronFamily>([](auto& all) -> auto& { return all.kron; });
  f.template operator()<PetrosianFamily>([](auto& all) -> auto& { return all.petrosian; });
  f.template operator()<LightRadiusFamily>([](auto& all) -> auto& { return all.light_radii; });
  f.template operator()<WindowFamily>([](auto& all) -> auto& { return all.window; });
  f.template operator()<ProfileFamily>([](auto& all) -> auto& { return all.profile; });
  f.template operator()<PositionNoiseFamily>([](auto& all) -> auto& { return all.position_noise; });
  f.template operator()<AnnulusFamily>([](auto& all) -> auto& { return all.annulus; });
  f.template operator()<LowWeightFamily>([](auto& all) -> auto& { return all.low_weight; });
}

/// Whether a family measures all rows of a source at once.
template <class One>
inline constexpr bool rows_are_together = requires {
  One::rows_are_together;
};

/// Whether the host may measure them at once where a device measures one by one.
template <class One>
inline constexpr bool rows_may_be_together = requires(const One& family, const MeasuredSource& source) {
  family.are_measured_together(source);
};

/// Whether a family looks at the image in which sources were found, where that is another: it has one row then.
template <class One, class Lanes>
inline constexpr bool looks_at_both = requires(const One& family, const Lanes& lanes, const MeasuredSource& source,
                                               const PhotometryImage& image) {
  family.measure_in(lanes, source, image, image);
};

/// The row number `which` of a source that was found in `found_in`, which may be `image`; of a family whose rows are
/// measured one by one.
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

/// Calls keep(which, row) for every row that a family has of such a source, on the host.
template <class One, class Keep>
void measure_rows_in(const One& family, const HostLanes& lanes, const MeasuredSource& source,
                     const PhotometryImage& found_in, const PhotometryImage& image, const Keep& keep) {
  if constexpr (rows_are_together<One>) {
    family.measure_rows(lanes, source, image, keep);
  } else {
    if constexpr (rows_may_be_together<One>)
      if (family.are_measured_together(source)) return family.measure_together(source, image, keep);
    for (int which = 0; which < family.rows(); ++which)
      keep(which, measure_row_in(family, lanes, source, found_in, image, which));
  }
}

/// The bytes that a source takes beside its usual columns: what is measured, and the columns that are made of that.
inline std::int64_t photometry_bytes(const Config& config) {
  const ColumnChoice choice(config.output.columns);
  std::int64_t bytes = 0;
  for_each_family([&]<class One>(auto&&) {
    if (!choice.needs(One::id)) return;
    std::int64_t of_row = sizeof(typename One::Row);
    One::for_each_value([&](const char*, const auto&) { of_row += static_cast<std::int64_t>(sizeof(double)); });
    bytes += One(config).rows() * of_row;
  });
  for (const MeasuredColumn& one : measured_columns())
    if ((one.family == Family::isophote || one.family == Family::sky || one.family == Family::best ||
         one.family == Family::classifier) &&
        choice.fills(one.column.name))
      bytes += static_cast<std::int64_t>(sizeof(double));
  return bytes == 0 ? 0 : bytes + static_cast<std::int64_t>(sizeof(FluxCalibration));
}

/// Whether a configuration asks for anything that has to be measured by itself.
inline bool measures_photometry(const Config& config) {
  const ColumnChoice choice(config.output.columns);
  bool any = false;
  for_each_family([&]<class One>(auto&&) { any = any || choice.needs(One::id); });
  return any;
}

}  // namespace srcextract
