#pragma once

#include <cstdint>
#include <type_traits>

#include "stages/core/host_device.hpp"
#include "stages/photometry/source_shape.hpp"

namespace srcextract {

/// A source, as input of the families (groups of measurements, see families.hpp).
struct MeasuredSource {
  std::int32_t number;      ///< number from 1, as in PhotometryImage::owner
  SourceShape shape;        ///< position and ellipse in the detection image
  const SourceSums* found;  ///< sums over its pixels in the detection image
  /// last row of the source's island (connected pixels before deblending); -1: last row of its own pixels
  std::int32_t last_row = -1;
  double local_sky = 0;  ///< result of FrameSkyFamily, which is subtracted from fluxes; 0 if not measured
};

/// A list of families, as a type.
template <class... One>
struct FamilyList {};

/// The first row of a source among the results of one family.
template <class One>
struct FirstRow {
  const typename One::Row* row;
};

/// A source with the results of the families in `List`, which are measured before. A family that uses others names them
/// in its member type `uses`, and its functions take a SourceWith<uses>.
template <class List>
struct SourceWith;
template <class... Used>
struct SourceWith<FamilyList<Used...>> : MeasuredSource, FirstRow<Used>... {
  /// `results.of<One>().of(index)` is the first row of the source with that index, from 0.
  template <class Results>
  SRCEXTRACT_HOST_DEVICE SourceWith(const MeasuredSource& source, [[maybe_unused]] const Results& results,
                                    [[maybe_unused]] std::int64_t index)
      : MeasuredSource(source), FirstRow<Used>{results.template of<Used>().of(index)}... {}
  SRCEXTRACT_HOST_DEVICE explicit SourceWith(const MeasuredSource& source) requires(sizeof...(Used) == 0)
      : MeasuredSource(source) {}

  /// Returns the first row of the source that the family One measured.
  template <class One>
  SRCEXTRACT_HOST_DEVICE const typename One::Row& of() const {
    static_assert((std::is_same_v<One, Used> || ...),
                  "a family reads the results of another only if its list `uses` "
                  "names that family");
    return *static_cast<const FirstRow<One>&>(*this).row;
  }
};

template <class One>
struct FamilyUses {
  using List = FamilyList<>;
};
template <class One>
requires requires {
  typename One::uses;
}
struct FamilyUses<One> {
  using List = typename One::uses;
};

/// The list of the families that One uses; empty if One has no member type `uses`.
template <class One>
using UsesOf = typename FamilyUses<One>::List;

/// A source as the family One reads it.
template <class One>
using SourceOf = SourceWith<UsesOf<One>>;

}  // namespace srcextract
