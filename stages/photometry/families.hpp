#pragma once

#include "stages/photometry/circles.hpp"
#include "stages/photometry/kron.hpp"

namespace srcextract {

/// What a family has measured: `each` rows of every source, source by source.
template <class Row, class Where>
struct FamilyRows {
  Buffer<Row, Where> rows;
  int each = 0;  ///< 0: the family was not asked for
};

/// What all families that were asked for have measured.
template <class Where>
struct Photometry {
  FamilyRows<CircleFlux, Where> circles;
  FamilyRows<KronFlux, Where> kron;
};

/// The list of families, in the order in which they are measured: a family may use what those before it have measured
/// of the same source. Calls f.template operator()<Family>(rows_of), where rows_of(photometry) is what it has measured.
///
/// A family is a header with its definition: a struct of what it needs of a configuration, small enough to be handed to
/// a kernel, with
///  - Row: what it measures, one of rows() for every source; with a record_fields of a buffer of them and a member
///    `flags`, bits of FLAGS;
///  - measure(lanes, source, image, which): the row number `which` of a source, on host and device. Pixels are summed
///  by
///    `lanes` alone (stages/photometry/lanes.hpp), and everything else must round alike on both;
///  - for_each_value(f): how a value of each of its columns follows from a row.
/// Its columns are declared in stages/catalogue/measured_columns.cpp.
template <class F>
void for_each_family(F&& f) {
  f.template operator()<CircleFamily>([](auto& all) -> auto& { return all.circles; });
  f.template operator()<KronFamily>([](auto& all) -> auto& { return all.kron; });
}

/// Whether a configuration asks for anything that has to be measured by itself.
inline bool measures_photometry(const Config& config) {
  const ColumnChoice choice(config.output.columns);
  bool any = false;
  for_each_family([&]<class One>(auto&&) { any = any || choice.needs(One::id); });
  return any;
}

}  // namespace srcextract
