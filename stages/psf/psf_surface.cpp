#include "stages/psf/psf_surface.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "stages/core/vector_clones.hpp"

namespace srcextract {
namespace {

/// Converts a position to the polynomial's coordinate: 0 in the middle of the field, -1/2 and 1/2 at its edges.
double scaled(double place, std::int64_t size) {
  const auto whole = static_cast<double>(size);
  return (place - (whole - 1) / 2) / whole;
}

/// Calls f(index, x, y) for all pixels of a plane, where (x, y) is the offset from the plane's middle in image pixels.
template <class F>
void for_each_pixel(const PsfSurface& surface, F&& f) {
  const int middle = surface.side / 2;
  std::size_t i = 0;
  for (int y = 0; y < surface.side; ++y)
    for (int x = 0; x < surface.side; ++x) f(i++, (x - middle) * surface.step, (y - middle) * surface.step);
}

/// Sets the pixels outside the radius to 0.
void cut(PsfSurface& surface) {
  for_each_pixel(surface, [&](std::size_t i, double x, double y) {
    if (x * x + y * y < surface.radius * surface.radius) return;
    for (int k = 0; k < surface.terms(); ++k) surface.of(k)[i] = 0;
  });
}

/// Sum of a plane's pixels, and first moments of its core (pixels within the full width of the middle).
struct Moments {
  double light = 0, x = 0, y = 0;
};

Moments moments_of(const PsfSurface& surface, const double* plane) {
  const double core = surface.width * surface.width;
  Moments sums;
  for_each_pixel(surface, [&](std::size_t i, double x, double y) {
    sums.light += plane[i];
    if (x * x + y * y > core) return;
    sums.x += x * plane[i];
    sums.y += y * plane[i];
  });
  return sums;
}

void add(double factor, const std::vector<double>& values, double* plane) {
  add_scaled(factor, values.data(), values.size(), plane);
}

}  // namespace

SRCEXTRACT_VECTOR_CLONES
void add_scaled(double factor, const double* from, std::size_t count, double* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

std::vector<double> PsfSurface::basis(double x, double y) const {
  const double u = scaled(x, image.width), v = scaled(y, image.height);
  std::vector<double> terms;
  double of_y = 1;
  for (int j = 0; j <= degree; ++j) {
    double product = of_y;
    for (int i = 0; i + j <= degree; ++i) {
      terms.push_back(product);
      product *= u;
    }
    of_y *= v;
  }
  return terms;
}

std::vector<double> PsfSurface::at(double x, double y) const {
  const std::vector<double> terms = basis(x, y);
  std::vector<double> sum(plane(), 0);
  for (std::size_t k = 0; k < terms.size(); ++k) add_scaled(terms[k], of(static_cast<int>(k)), sum.size(), sum.data());
  return sum;
}

double PsfSurface::light_of(const std::vector<double>& plane) const {
  double sum = 0;
  for_each_pixel(*this, [&](std::size_t i, double x, double y) {
    if (x * x + y * y < radius * radius) sum += plane[i];
  });
  return sum * step * step;
}

std::vector<double> PsfSurface::gradient(const double* plane, bool along_y) const {
  std::vector<double> slope(this->plane(), 0);
  const double most = radius * radius;
  const auto last = static_cast<std::ptrdiff_t>(this->plane()), next = std::ptrdiff_t{along_y ? side : 1};
  for_each_pixel(*this, [&](std::size_t i, double x, double y) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    if (x * x + y * y < most && at >= next && at + next < last)
      slope[i] = (plane[at + next] - plane[at - next]) / (2 * step);
  });
  return slope;
}

PsfSurface begin_surface(const Shape& image, int degree, double width, double radius) {
  // FWHM of a Gaussian in sigma; smallest side of a plane's pixel in image pixels
  constexpr double gaussian_width = 2.35, finest = 0.25;
  PsfSurface surface{.image = image, .degree = degree, .width = width};
  surface.step = std::clamp(0.5 * width / gaussian_width, finest, 1.0);
  surface.fade = width;
  surface.radius = radius + width / 2;
  const int reach = static_cast<int>(std::ceil(surface.radius / surface.step));
  surface.side = 2 * reach + 1;
  surface.planes.assign(static_cast<std::size_t>(surface.terms()) * surface.plane(), 0);
  return surface;
}

void fade_out(PsfSurface& surface) {
  const double most = surface.radius * surface.radius, inner = std::max(surface.radius - surface.fade, 0.0);
  const double least = inner * inner;
  for_each_pixel(surface, [&](std::size_t i, double x, double y) {
    const double square = x * x + y * y;
    if (square <= least || square >= most) return;
    for (int k = 0; k < surface.terms(); ++k) surface.of(k)[i] *= (most - square) / (most - least);
  });
}

void fix_gauge(PsfSurface& surface) {
  constexpr int rounds = 3;  // shifts are correct to first order only, so they are repeated
  cut(surface);
  double* const first = surface.of(0);
  const double light = moments_of(surface, first).light * surface.step * surface.step;
  if (!(light > 0)) return;
  for (double& value : surface.planes) value /= light;
  const double wanted = moments_of(surface, first).light;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<double> reference(first, first + surface.plane());
    const std::vector<double> along_x = surface.gradient(first, false), along_y = surface.gradient(first, true);
    const double of_x = moments_of(surface, along_x.data()).x, of_y = moments_of(surface, along_y.data()).y;
    const double own = moments_of(surface, reference.data()).light;
    for (int k = 0; k < surface.terms(); ++k) {
      double* const plane = surface.of(k);
      const Moments sums = moments_of(surface, plane);
      if (of_x != 0) add(-sums.x / of_x, along_x, plane);
      if (of_y != 0) add(-sums.y / of_y, along_y, plane);
      add(((k == 0 ? wanted : 0) - moments_of(surface, plane).light) / own, reference, plane);
    }
  }
}

NumberTable table_of(const PsfSurface& surface, std::size_t found, std::size_t used, double chi2) {
  NumberTable table{.name = "PSF_DATA", .cards = {}, .columns = {}, .rows = 1};
  const auto set = [&](const std::string& card, double value) { table.cards[card] = value; };
  set("LOADED", static_cast<double>(found));
  set("ACCEPTED", static_cast<double>(used));
  set("CHI2", chi2);
  const bool varies = surface.degree > 0;
  set("POLNAXIS", varies ? 2 : 0);
  for (int d = 1; d <= 2 && varies; ++d) {
    const std::string number = std::to_string(d);
    const auto size = static_cast<double>(d == 1 ? surface.image.width : surface.image.height);
    set("POLGRP" + number, 1);
    table.cards["POLNAME" + number] = d == 1 ? "X_IMAGE" : "Y_IMAGE";
    set("POLZERO" + number, (size + 1) / 2);
    set("POLSCAL" + number, size);
  }
  set("POLNGRP", varies ? 1 : 0);
  if (varies) set("POLDEG1", surface.degree);
  set("PSF_FWHM", surface.of_file);
  set("PSF_SAMP", surface.step);
  set("PSFNAXIS", 3);
  set("PSFAXIS1", surface.side);
  set("PSFAXIS2", surface.side);
  set("PSFAXIS3", surface.terms());
  for (const double value : surface.planes) table.columns["PSF_MASK"].push_back(static_cast<float>(value));
  return table;
}

}  // namespace srcextract
