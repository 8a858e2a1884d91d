#include <algorithm>
#include <cmath>

#include "stages/galaxy/galaxy_scratch.hpp"
#include "stages/galaxy/galaxy_shape.hpp"
#include "stages/math/exact_math.hpp"

namespace srcextract {
namespace {

/// Numbers of an axis: indices from -farthest - 8 to farthest + 8, with farthest at most 3/2 of the side.
std::size_t axis_numbers(int side) {
  return static_cast<std::size_t>(3 * side + 17 + 15) / 16 * 16;
}

ModeForm form_of(const Symmetric2& of) {
  return {static_cast<float>(of.xx), static_cast<float>(2 * of.xy), static_cast<float>(of.yy)};
}

}  // namespace

GalaxyScratch::GalaxyScratch(int largest_side) : most_pixels_(static_cast<std::size_t>(largest_side) * largest_side) {
  waves_.reset(axis_numbers(largest_side));
  turns_.reset(4 * axis_numbers(largest_side));
  spectra_.reset((most_component_images + 1) * most_pixels_);  // the last are zeros
  work_.reset(most_pixels_ + wrap_memory(largest_side));
  images_.reset((most_galaxy_images + 5) * most_pixels_);
  matrix.reset(galaxy_unknowns);
}

void GalaxyScratch::take_psf(const PsfSpectra& psf, double x, double y) {
  psf_ = &psf;
  const std::size_t count = psf.aliases().size() * PsfSpectra::alias_numbers;
  if (placed_.size() < count) placed_.reset(count);
  psf.place(x, y, placed_.data());
  moments_ = psf.moments(x, y);
  fill_waves(psf.side(), psf.farthest(), waves_.data());
}

void GalaxyScratch::turn_to(double x, double y) {
  const std::size_t axis = axis_numbers(side());
  float* const turns = turns_.data();
  fill_turns(side(), psf_->farthest(), x, turns, turns + axis);
  fill_turns(side(), psf_->farthest(), y, turns + 2 * axis, turns + 3 * axis);
}

SpectrumInput GalaxyScratch::spectrum_input() const {
  const std::size_t axis = axis_numbers(side());
  const int zero = psf_->farthest() + 8;
  const float *const wave = waves_.data() + zero, *const turns = turns_.data() + zero;
  return {psf_, placed_.data(), {wave, turns, turns + axis}, {wave, turns + 2 * axis, turns + 3 * axis}, {}, nullptr};
}

/// Transforms the folded spectra in spectra_ to images.
void GalaxyScratch::make_images(int images, float* const* image) {
  const BoxTransform& transform = psf_->transform();
  const std::size_t half = pixels() / 2;
  const auto plane = [&](int j) { return spectra_.data() + pixels() * j; };
  for (int j = 0; j < images; ++j) {
    transform.transform(side() / 2, plane(j), plane(j) + half, plane(j), plane(j) + half);
  }
  float* const zeros = spectra_.data() + most_component_images * most_pixels_;  // the partner of an image without one
  float* const unused = work_.data();
  for (int j = 0; j < images; j += 2) {
    const bool paired = j + 1 < images;
    const float* const second = paired ? plane(j + 1) : zeros;
    float *const to = image[j], *const to2 = paired ? image[j + 1] : unused;
    transform.pack(plane(j), plane(j) + half, second, second + half, to, to2);
    transform.transform(side(), to, to2, to, to2);
  }
}

void GalaxyScratch::render_profile(const GalaxyShape& shape, double x, double y, int images, int which,
                                   float* const* image) {
  KeptIndex& kept = kept_[which];
  if (kept.ln_n != shape.ln_n || kept.images < images) {
    take_index(shape.ln_n, images > 6, kept.of);
    kept.ln_n = shape.ln_n;
    kept.images = images;
  }
  turn_to(x, y);
  const ShapeMatrix matrix_of_shape = shape_matrix(shape);
  SpectrumInput input = spectrum_input();
  input.shape = {form_of(matrix_of_shape.sigma), form_of(matrix_of_shape.by_e1), form_of(matrix_of_shape.by_e2)};
  input.index = &kept.of;
  fold_spectra(input, images, spectra_.data());
  make_images(images, image);
  remove_wrap(psf_->wrap(), {&shape, &matrix_of_shape, &kept.of, x, y, moments_}, images, image,
              work_.data() + most_pixels_);
}

void GalaxyScratch::render_point(double x, double y, int images, float* const* image) {
  turn_to(x, y);
  fold_spectra(spectrum_input(), images, spectra_.data());
  make_images(images, image);
}

std::unique_ptr<GalaxyScratch, void (*)(GalaxyScratch*)> make_galaxy_scratch(int largest_side) {
  return {new GalaxyScratch(largest_side), [](GalaxyScratch* scratch) { delete scratch; }};
}

void render_galaxy(const GalaxyModel& model, const GalaxyParameters& at, const PsfSpectra& psf, double x, double y,
                   GalaxyScratch& scratch, float* image) {
  scratch.take_psf(psf, x, y);
  const std::size_t pixels = scratch.pixels();
  std::fill_n(image, pixels, 0.0F);
  float* const one = scratch.image(0);
  const auto add = [&](double flux) {
    const auto by = static_cast<float>(flux);
    for (std::size_t i = 0; i < pixels; ++i) image[i] += by * one[i];
  };
  if (model.spheroid) {
    GalaxyShape shape = at.spheroid;
    if (!model.free_index) shape.ln_n = portable_log(model.index);
    scratch.render_profile(shape, at.x, at.y, 1, 0, &one);
    add(at.spheroid_flux);
  }
  if (model.disk) {
    GalaxyShape shape = at.disk;
    shape.ln_n = 0;
    scratch.render_profile(shape, at.x, at.y, 1, 1, &one);
    add(at.disk_flux);
  }
  if (model.point) {
    scratch.render_point(at.x, at.y, 1, &one);
    add(at.point_flux);
  }
}

}  // namespace srcextract
