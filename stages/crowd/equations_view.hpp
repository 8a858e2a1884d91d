#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The first place in [from, to) of an ascending list whose value is not below `value`; `to` if there is none.
template <class T>
SRCEXTRACT_HOST_DEVICE std::int64_t first_not_below(const T* list, std::int64_t from, std::int64_t to, T value) {
  while (from < to) {
    const std::int64_t middle = from + (to - from) / 2;
    if (list[middle] < value)
      from = middle + 1;
    else
      to = middle;
  }
  return from;
}

/// The sum of eight lanes: l and l + 4, l and l + 2, then the last two.
SRCEXTRACT_HOST_DEVICE inline double folded(const double* of) {
  const double a = of[0] + of[4], b = of[1] + of[5], c = of[2] + of[6], d = of[3] + of[7];
  return (a + c) + (b + d);
}

/// The equations of a crowd (CrowdEquations, which says what the members are) in the memory of the back end.
struct EquationsView {
  static constexpr int lanes = 8;

  std::int64_t stars = 0, nodes = 0;
  const std::int64_t* row = nullptr;
  const std::int32_t* partner = nullptr;
  const double* block = nullptr;
  const std::int64_t* node_row = nullptr;
  const std::int32_t* node = nullptr;
  const double* of_node = nullptr;
  const std::int64_t* star_row = nullptr;
  const std::int32_t* star = nullptr;
  const std::int64_t* entry = nullptr;
  const std::int32_t* sky_columns = nullptr;
  const double* sky = nullptr;

  SRCEXTRACT_HOST_DEVICE std::int64_t size() const { return 3 * stars + nodes; }
  /// The place of star `other` among the partners of `own`; if that star is no partner, the place of the next partner,
  /// or the end.
  SRCEXTRACT_HOST_DEVICE std::int64_t place_of(std::int64_t own, std::int32_t other) const {
    return first_not_below(partner, row[own], row[own + 1], other);
  }
  /// The 3 x 3 coefficients of the unknowns of one star.
  SRCEXTRACT_HOST_DEVICE const double* own(std::int64_t of_star) const {
    return block + 9 * place_of(of_star, static_cast<std::int32_t>(of_star));
  }

  // N z, without the prior, is the sum of eight lanes, folded. Partners, nodes and stars each begin with lane 0, and go
  // round the lanes.

  /// Adds the terms of partner k to the three sums of its star.
  SRCEXTRACT_HOST_DEVICE void add_partner(std::int64_t k, const double* z, double* out) const {
    const double* const b = block + 9 * k;
    const double* const other = z + 3 * static_cast<std::int64_t>(partner[k]);
    for (std::int64_t p = 0; p < 3; ++p)
      out[p] += b[3 * p] * other[0] + b[3 * p + 1] * other[1] + b[3 * p + 2] * other[2];
  }
  /// Adds the terms of node k of a star to the same three sums.
  SRCEXTRACT_HOST_DEVICE void add_level(std::int64_t k, const double* z, double* out) const {
    for (int p = 0; p < 3; ++p) out[p] += of_node[3 * k + p] * z[3 * stars + node[k]];
  }
  /// The terms that star k of a node, and neighbour k of all nodes, add to the sum of a node.
  SRCEXTRACT_HOST_DEVICE double of_star(std::int64_t k, const double* z) const {
    const double* const b = of_node + 3 * entry[k];
    const double* const own = z + 3 * static_cast<std::int64_t>(star[k]);
    return b[0] * own[0] + b[1] * own[1] + b[2] * own[2];
  }
  SRCEXTRACT_HOST_DEVICE double of_neighbour(std::int64_t k, const double* z) const {
    return sky_columns[k] >= 0 ? sky[k] * z[3 * stars + sky_columns[k]] : 0;
  }
};

/// The unknowns that a solution may change: all, all but positions, or fluxes alone.
enum class CrowdFree { all, fluxes_and_sky, fluxes };

/// The inverse of the diagonal element of unknown i; 0 if the unknown is not to change, or is on no good pixel.
SRCEXTRACT_HOST_DEVICE inline double inverse_of_unknown(const EquationsView& of, std::int64_t i, double prior,
                                                        CrowdFree free) {
  double value = 0;
  if (i < 3 * of.stars) {
    if (free == CrowdFree::all || i % 3 == 0) value = of.own(i / 3)[4 * (i % 3)] + prior;
  } else if (free != CrowdFree::fluxes) {
    value = of.sky[9 * (i - 3 * of.stars) + 4];
  }
  return value > 0 ? 1 / value : 0;
}

/// The pieces into which all unknowns are divided for scalar products: those of 64 stars, or 64 nodes. In a piece, lane
/// l of 32 adds every 32nd product from the l-th; then lanes l and l + 16, l and l + 8 and so on. The sums of the
/// pieces are added in the same way.
struct UnknownPieces {
  static constexpr int lanes = 32;
  static constexpr std::int64_t together = 64;

  std::int64_t stars = 0, nodes = 0;

  SRCEXTRACT_HOST_DEVICE std::int64_t of_stars() const { return (stars + together - 1) / together; }
  SRCEXTRACT_HOST_DEVICE std::int64_t count() const { return of_stars() + (nodes + together - 1) / together; }
  SRCEXTRACT_HOST_DEVICE std::int64_t begin(std::int64_t piece) const {
    return piece < of_stars() ? 3 * together * piece : 3 * stars + together * (piece - of_stars());
  }
  SRCEXTRACT_HOST_DEVICE std::int64_t end(std::int64_t piece) const {
    const bool of_star = piece < of_stars();
    const std::int64_t most = of_star ? 3 * stars : 3 * stars + nodes;
    const std::int64_t next = begin(piece) + (of_star ? 3 : 1) * together;
    return next < most ? next : most;
  }
};

}  // namespace srcextract
