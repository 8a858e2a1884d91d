#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stages/psf/make_psf.hpp"
#include "stages/psf/psf_stamps.hpp"

namespace srcextract {

/// A source that is fitted while a PSF is made: a star from which the PSF is made, or a neighbour of such a star.
struct PsfMember {
  std::size_t row;  ///< in the list of sources
  double x, y, flux;
  double begin_x, begin_y;  ///< first position; x and y stay within half a full width of it
  bool makes;               ///< it is a star from which the PSF is made
  PsfWindow window;
};

/// All members (PSF stars and their near neighbours), and the image after subtracting them. Members are fitted one
/// after another, each to the image without all others.
class PsfMembers {
 public:
  PsfMembers(const PsfImage& image, const std::vector<PsfStar>& stars, const PsfSurface& surface);

  /// Subtracts all members with a new surface, and fits the flux and position of each of them twice. Then finds the
  /// level of the sky beyond the stars that make the PSF: the sky that was subtracted before holds light of their
  /// wings. The next call subtracts that level, too. It counts only if it is below 0 by more than three errors: few
  /// stars tell little, and a level above 0 is light of other stars. In a crowded image no level is found.
  /// `knows_wings`: the surface is more than a formula, so that it tells the stars' own light there.
  void fit(const PsfSurface& surface, bool knows_wings);

  std::vector<PsfMember>& members() { return members_; }

  /// A pixel of a member, as it enters the fit.
  struct Pixel {
    bool good;
    double left;      ///< above the sky, without all members
    double variance;  ///< of sky and photons
    std::size_t at;   ///< index in the image
  };
  Pixel pixel(const PsfMember& member, int column, int row) const;

  /// The PSF at a member's position, drawn in the pixels of its window.
  std::vector<double> shape_of(const PsfSurface& surface, const PsfMember& member) const;

 private:
  /// Marks in covered_ the pixels within `radius` of any source.
  void cover(const std::vector<PsfStar>& stars, double radius);
  void add(const PsfMember& member, const std::vector<double>& shape, double flux);
  void fit_one(const PsfSurface& surface, PsfMember& member);
  /// The star's light in a pixel at 4.5 full widths from it, beyond its model: the wing goes on as a power of the
  /// distance.
  double wing_beyond(const PsfSurface& surface, const PsfMember& member) const;
  void find_level(const PsfSurface& surface, bool knows_wings);

  const PsfImage& image_;
  std::vector<float> left_;
  std::vector<std::uint8_t> covered_;  ///< 1: a source is within the model's radius
  float level_ = 0;                    ///< of what is left beyond the stars
  std::vector<PsfMember> members_;
};

}  // namespace srcextract
