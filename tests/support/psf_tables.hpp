#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stages/core/handed_numbers.hpp"
#include "stages/math/psf_model.hpp"
#include "stages/settings/psf_numbers.hpp"
#include "stages/settings/settings.hpp"
#include "tests/support/backends.hpp"

namespace srcextract::testing {

/// A plane of a mask: its value at an offset from the star, in pixels of the image.
using PsfPlane = std::function<double(double x, double y)>;

/// A table as PSFEx writes it. With three planes the PSF is the first, the second times t = (X_IMAGE - 50) / 40 more,
/// and the third times (Y_IMAGE - 50) / 40.
inline NumberTable psf_table(int side, double step, double fwhm, const std::vector<PsfPlane>& planes) {
  NumberTable table{.name = "PSF_DATA", .cards = {}, .columns = {}, .rows = 1};
  const auto set = [&](const std::string& card, double value) { table.cards[card] = value; };
  set("POLNAXIS", planes.size() > 1 ? 2 : 0);
  for (int d = 1; d <= 2 && planes.size() > 1; ++d) {
    const std::string number = std::to_string(d);
    table.cards["POLNAME" + number] = d == 1 ? "X_IMAGE" : "Y_IMAGE";
    set("POLGRP" + number, 1);
    set("POLZERO" + number, 50);
    set("POLSCAL" + number, 40);
  }
  set("POLNGRP", 1);
  set("POLDEG1", planes.size() > 1 ? 1 : 0);
  set("PSF_FWHM", fwhm);
  set("PSF_SAMP", step);
  set("PSFNAXIS", 3);
  set("PSFAXIS1", side);
  set("PSFAXIS2", side);
  set("PSFAXIS3", static_cast<double>(planes.size()));
  std::vector<double>& mask = table.columns["PSF_MASK"];
  const int middle = side / 2;
  for (const PsfPlane& plane : planes)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) mask.push_back(plane((x - middle) * step, (y - middle) * step));
  return table;
}

/// Sets the model of a configuration.
inline void set_psf(const NumberTable& table, Settings& config) {
  TableNumbers numbers = psf_numbers({table});
  EXPECT_EQ(numbers.problem, "");
  ASSERT_EQ(numbers.sets.size(), 1U);
  config.psf.file = "x.psf";
  config.resources.files[psf_key] = {std::make_shared<const std::vector<double>>(numbers.sets.front())};
}

/// The numbers of the model in the memory of a back end.
template <class Where>
struct HandedPsf {
  Buffer<double, Where> there;
  std::vector<HandedNumbers> numbers;

  HandedPsf(const Backend<Where>& backend, const Settings& config) {
    const std::vector<double>* const model = config.resources.numbers_of(psf_key);
    if (model == nullptr) return;
    there = backend.put(*model);
    numbers = {{psf_key, there.data()}};
  }
};

/// An elliptical Moffat profile of flux 1, of minor axis `width` (its alpha) and `ratio` times that along `angle`.
inline PsfPlane moffat(double width, double ratio, double angle, double beta = 3) {
  return [=](double x, double y) {
    const double u = (std::cos(angle) * x + std::sin(angle) * y) / ratio, v = std::cos(angle) * y - std::sin(angle) * x;
    constexpr double pi = 3.14159265358979323846;
    return (beta - 1) / (pi * width * width * ratio) * std::pow(1 + (u * u + v * v) / (width * width), -beta);
  };
}

inline PsfPlane gaussian(double sigma) {
  return [=](double x, double y) {
    constexpr double pi = 3.14159265358979323846;
    return std::exp(-(x * x + y * y) / (2 * sigma * sigma)) / (2 * pi * sigma * sigma);
  };
}

}  // namespace srcextract::testing
