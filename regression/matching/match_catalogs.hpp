#pragma once

#include <optional>
#include <vector>

#include "regression/columns/passes.hpp"
#include "regression/matching/align.hpp"
#include "regression/matching/choose_positions.hpp"
#include "regression/matching/match.hpp"

namespace srcextract {

/// Position and brightness of every row of one side.
struct PlacedRows {
  Positions positions;
  std::vector<double> brightness;  ///< log10 of the flux; empty if unknown, NaN for rows without flux

  /// Number of rows without a position, or without its error if the match needs that.
  std::int64_t nowhere() const;
};

/// Two catalogues and their matches. `other` has positions in which every change of the whole catalogue is undone, and
/// brightness on the reference's scale.
struct MatchedCatalogs {
  PositionColumns columns;
  PlacedRows reference, other;
  Alignment alignment;  ///< the change that was undone
  Matches matches;

  /// Matched share of the smaller catalogue.
  double share() const;
};

/// Matches two catalogues by a kind of positions (pixel or sky). Takes the first kind that matches half of the smaller
/// catalogue, else the kind that matches most.
MatchedCatalogs match_catalogs(const std::vector<PositionColumns>& choices, std::optional<std::size_t> brightness,
                               const LoadedColumns& loaded, int threads);

/// Computes new - reference of a coordinate or of the brightness for every pair.
std::vector<double> offsets(const std::vector<double>& reference, const std::vector<double>& other,
                            const Matches& matches);

/// Whether both sides measured the same pixels, apart from a shift: their positions agree better than those of two
/// exposures can.
bool is_same_image(const MatchedCatalogs& matched, int threads);

}  // namespace srcextract
