#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "stages/psf/make_psf.hpp"
#include "stages/psf/psf_stamps.hpp"

namespace srcextract {

/// A source that is fitted while the PSF is made: a star from which the PSF is made, or a neighbour of such a star.
/// Positions are in pixels from 0.
struct PsfMember {
  std::size_t row;  ///< index in the list of all sources
  double x, y, flux;
  double begin_x, begin_y;  ///< first position; x and y differ from it by at most half the stars' full width
  bool makes;               ///< true if the PSF is made from this star, false for a neighbour
  PsfWindow window;
  /// the level around the model of a star that makes the PSF, after all members are subtracted; NaN if not known
  double around = std::numeric_limits<double>::quiet_NaN();

  /// Returns the squared distance of a pixel of the window from the star.
  double squared_distance(int column, int row) const {
    const double dx = static_cast<double>(window.left() + column) - x, dy = static_cast<double>(window.top() + row) - y;
    return dx * dx + dy * dy;
  }
};

/// All members (stars from which the PSF is made, and their near neighbours), and the image without the members' light.
/// Members are fitted one after another, each after all other members are subtracted.
class PsfMembers {
 public:
  PsfMembers(const PsfImage& image, const std::vector<PsfStar>& stars, const PsfSurface& surface);

  /// Subtracts all members with a new surface, and fits the flux and position of each member twice.
  ///
  /// Then finds the sky level outside the stars that make the PSF, because the sky subtracted before contains light of
  /// the stars' wings. The next call also subtracts this level. The level is used only if it is below 0 by more than
  /// three errors: a level from few stars is uncertain, and a level above 0 is light of other stars. Where
  /// the stars cover more than half of what is near, or in a crowded image more than a quarter, no level is determined.
  /// PsfMember::around is found with it.
  ///
  /// `knows_wings` is true if the surface was fitted pixel by pixel, so that the stars' own light in the wings can be
  /// extrapolated from it.
  void fit(const PsfSurface& surface, bool knows_wings);

  std::vector<PsfMember>& members() { return members_; }
  const std::vector<PsfMember>& members() const { return members_; }

  /// A pixel of a member's window, as the fit uses it.
  struct Pixel {
    bool good;
    double left;      ///< value above the sky after all members are subtracted
    double variance;  ///< variance of sky and photon noise
  };
  Pixel pixel(const PsfMember& member, int column, int row) const;

  /// Returns the PSF at a member's position, resampled to the pixels of the member's window, column by column.
  std::vector<double> shape_of(const PsfSurface& surface, const PsfMember& member) const;
  /// Returns shape_of(), and its gradients along x and y. The gradients are taken in the finer pixels of the PSF, for
  /// differences of the image's pixels are no gradients of a narrow star.
  std::vector<std::vector<double>> shape_and_gradients(const PsfSurface& surface, const PsfMember& member) const;

 private:
  /// shape_and_gradients() of the plane that the surface has at the member.
  static std::vector<std::vector<double>> shape_and_gradients(const PsfSurface& surface, const PsfMember& member,
                                                              const std::vector<double>& plane);
  void add(const PsfMember& member, const std::vector<double>& shape, double flux);
  void fit_one(const PsfSurface& surface, PsfMember& member);
  /// Returns the star's light in a pixel half a full width outside its model. The wing is extrapolated as a power of
  /// the distance.
  double wing_beyond(const PsfSurface& surface, const PsfMember& member) const;
  void find_level(const PsfSurface& surface, bool knows_wings);

  const PsfImage& image_;
  std::vector<float> left_;
  /// for each pixel of the image: 1 if a source is within the model's radius, else 0
  std::vector<std::uint8_t> covered_;
  /// for each pixel of the image: 1 if it has light of a hot pixel or of a cosmic ray, which then does not count; else
  /// 0
  std::vector<std::uint8_t> hit_;
  float level_ = 0;  ///< sky level outside the stars, after members are subtracted
  std::vector<PsfMember> members_;
};

}  // namespace srcextract
