#pragma once

#include <optional>
#include <vector>

#include "regression/columns/passes.hpp"
#include "regression/matching/align.hpp"
#include "regression/matching/choose_positions.hpp"
#include "regression/matching/match.hpp"

namespace srcextract {

/// Position and brightness of every row of one catalogue.
struct PlacedRows {
  Positions positions;
  std::vector<double> brightness;  ///< log10 of the flux, or -0.4 times the magnitude; empty if unknown, NaN for rows
                                   ///< without a positive flux

  /// Rows without a position, or without the position's error if the radius is in sigma.
  std::vector<std::int64_t> nowhere() const;
};

/// Two catalogues and their matches. In `other`, a change of the whole catalogue (flip, shift ...) is undone in the
/// positions, and brightness is scaled to the reference's.
struct MatchedCatalogs {
  PositionColumns columns;
  PlacedRows reference, other;
  Alignment alignment;  ///< the change of the new positions that was undone
  Matches matches;

  /// The matched fraction of the smaller catalogue.
  double share() const;
};

/// Matches two catalogues by one of the positions in `choices` (pixel or sky): by the first that matches half of the
/// smaller catalogue, else by the one that matches most.
MatchedCatalogs match_catalogs(const std::vector<PositionColumns>& choices, std::optional<std::size_t> brightness,
                               const LoadedColumns& loaded, int threads);

/// new - reference of a quantity, for every pair. The arguments have the values of all rows.
std::vector<double> offsets(const std::vector<double>& reference, const std::vector<double>& other,
                            const Matches& matches);

/// Whether both catalogues were measured on the same pixels, apart from a shift. If so, positions agree better than
/// positions of two exposures can.
bool is_same_image(const MatchedCatalogs& matched, int threads);

}  // namespace srcextract
