#pragma once

#include <cstdint>
#include <vector>

#include "stages/galaxy/aligned_floats.hpp"
#include "stages/galaxy/galaxy_fit.hpp"
#include "stages/galaxy/galaxy_transform.hpp"
#include "stages/galaxy/wrap_removal.hpp"

namespace srcextract {

/// The modes of a PSF that matter for a periodic box of one side, and the transform of each of the PSF's planes at
/// them.
///
/// A mode has the wave numbers kx = 2π a / side and ky = 2π b / side. Modes are kept up to |k| = π / step, where the
/// PSF's transform exceeds `faintest` of its sum, in the middle of the field or around it. The transform of an image of
/// real pixels is needed for the columns 0 to side / 2 of ky alone. Modes with equal a and equal b modulo the side add
/// up in the same cell: they are aliases. A group is 8 cells with consecutive columns of one row; its aliases are
/// listed in their order of addition: ascending a, and for each a in the order b = c, c - side, c + side, c - 2 side
/// ... Groups of column side / 2 follow, which are 8 cells with consecutive rows; their aliases: ascending b, then a.
class PsfSpectra {
 public:
  struct Alias {
    std::int32_t a = 0, b = 0;  ///< of the group's first cell
  };

  static constexpr double faintest = 3e-5;
  static constexpr int alias_numbers = 16;  ///< real parts of 8 modes, then imaginary parts

  PsfSpectra(const PsfModel& psf, int side);
  PsfSpectra(const PsfSpectra&) = delete;
  PsfSpectra& operator=(const PsfSpectra&) = delete;

  int side() const { return transform_.side(); }
  const BoxTransform& transform() const { return transform_; }
  const WrapPlaces& wrap() const { return wrap_; }
  /// Wave numbers of index -farthest to farthest are needed, and 8 more at either end.
  int farthest() const { return farthest_; }
  const std::vector<Alias>& aliases() const { return aliases_; }
  /// Aliases of group g: begins()[g] to begins()[g + 1]. There are side * side / 16 groups of cells (group = (row *
  /// side / 2 + column) / 8), then side / 8 groups of column side / 2.
  const std::vector<std::int32_t>& begins() const { return begins_; }
  std::size_t modes() const { return aliases_.size() * 8; }

  /// Writes the PSF's transform at (x, y), in pixels from 1, divided by side², alias by alias.
  void place(double x, double y, float* transform) const;
  PsfMoments moments(double x, double y) const;

 private:
  void find_terms(double x, double y, double* terms) const;

  BoxTransform transform_;
  WrapPlaces wrap_;
  std::vector<double> polynomial_;  ///< head and exponents of the PsfModel
  PsfModel model_;                  ///< its planes are not used
  int farthest_ = 0;
  std::vector<Alias> aliases_;
  std::vector<std::int32_t> begins_;
  std::vector<AlignedFloats> planes_;
  std::vector<PsfMoments> plane_moments_;
};

}  // namespace srcextract
