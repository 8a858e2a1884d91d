#pragma once

#include <cstdint>

#include "stages/core/host_device.hpp"

namespace srcextract {

/// The first index in [from, to) of an ascending list with an element that is not below `value`; `to` if there is none.
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

/// The sum of eight partial sums (lanes) in a fixed order: first l and l + 4, then l and l + 2, then the last two.
SRCEXTRACT_HOST_DEVICE inline double folded(const double* of) {
  const double a = of[0] + of[4], b = of[1] + of[5], c = of[2] + of[6], d = of[3] + of[7];
  return (a + c) + (b + d);
}

/// A view of CrowdEquations in host or device memory. CrowdEquations describes the members.
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
  /// The index in `partner` of star `other` among the partners of star `own`. If `other` is no partner, the index of
  /// the next larger partner, or the end of the list.
  SRCEXTRACT_HOST_DEVICE std::int64_t place_of(std::int64_t own, std::int32_t other) const {
    return first_not_below(partner, row[own], row[own + 1], other);
  }
  /// The 3 x 3 elements of N for the unknowns of one star.
  SRCEXTRACT_HOST_DEVICE const double* own(std::int64_t of_star) const {
    return block + 9 * place_of(of_star, static_cast<std::int32_t>(of_star));
  }

  // An element of N z, without the prior, is the sum of eight lanes, added by folded(). The terms of partners go to
  // lanes 0, 1, ... 7, 0, 1, ..., and so do the terms of nodes, stars and neighbours, each beginning with lane 0.

  /// Adds the terms of entry k of `partner` to the three sums of its star.
  SRCEXTRACT_HOST_DEVICE void add_partner(std::int64_t k, const double* z, double* out) const {
    const double* const b = block + 9 * k;
    const double* const other = z + 3 * static_cast<std::int64_t>(partner[k]);
    for (std::int64_t p = 0; p < 3; ++p)
      out[p] += b[3 * p] * other[0] + b[3 * p + 1] * other[1] + b[3 * p + 2] * other[2];
  }
  /// Adds the terms of entry k of `node` to the three sums of its star.
  SRCEXTRACT_HOST_DEVICE void add_level(std::int64_t k, const double* z, double* out) const {
    for (int p = 0; p < 3; ++p) out[p] += of_node[3 * k + p] * z[3 * stars + node[k]];
  }
  /// of_star() returns the term of entry k of `star` in the sum of its node; of_neighbour() returns the term of entry k
  /// of `sky_columns`.
  SRCEXTRACT_HOST_DEVICE double of_star(std::int64_t k, const double* z) const {
    const double* const b = of_node + 3 * entry[k];
    const double* const own = z + 3 * static_cast<std::int64_t>(star[k]);
    return b[0] * own[0] + b[1] * own[1] + b[2] * own[2];
  }
  SRCEXTRACT_HOST_DEVICE double of_neighbour(std::int64_t k, const double* z) const {
    return sky_columns[k] >= 0 ? sky[k] * z[3 * stars + sky_columns[k]] : 0;
  }
};

/// The unknowns that a solution may change: all; fluxes and sky, but not positions; or fluxes only.
enum class CrowdFree { all, fluxes_and_sky, fluxes };

/// 1 / (diagonal element + prior) of unknown i, without the prior for a sky node. The result is 0 if `free` excludes
/// the unknown or the denominator is not above 0.
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

/// Divides the unknowns into pieces for scalar products: the unknowns of 64 stars, or 64 nodes. A piece is summed in 32
/// lanes; lane l adds every 32nd product from product l on. Then lanes l and l + 16 are added, l and l + 8, and so on.
/// The sums of the pieces are added in the same way, so that host and device agree.
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
