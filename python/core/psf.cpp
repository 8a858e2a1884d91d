#include "python/core/psf.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>

#include "io/catalog/psf_file.hpp"
#include "io/fits/read_number_tables.hpp"
#include "pipeline/machine/versions.hpp"
#include "python/core/arrays.hpp"
#include "python/core/gil.hpp"
#include "stages/core/error.hpp"
#include "stages/photometry/lanes.hpp"
#include "stages/photometry/psf_stamp.hpp"
#include "stages/settings/psf_numbers.hpp"

namespace srcextract::python {
namespace nb = nanobind;
namespace {

std::vector<Psf> read(const std::string& path) {
  const WithoutGil others;
  std::vector<Psf> all;
  for (NumberTable& table : read_number_tables(path))
    if (table.name == "PSF_DATA") all.push_back(psf_of_table(std::move(table), path));
  if (all.empty()) throw Error(ErrorKind::config, path + " has no table PSF_DATA: it is no file of PSFEx's");
  return all;
}

void write_psf_file(const Psf& psf, const std::string& path) {
  const WithoutGil others;
  OutputFile file = write_psf(path, psf.table, program_version());
  file.commit();
}

/// The PSF for a star at (x, y), from 0, as a square of pixels in the PSF's own sampling.
nb::object mask_at(const Psf& psf, double x, double y) {
  const PsfModel& model = psf.model;
  Image<double, Cpu> mask({model.columns, model.rows}, Cpu{1});
  std::ranges::fill(mask.pixels, 0);
  const double* plane = psf.table.columns.at("PSF_MASK").data();
  for (int k = 0; k < model.terms; ++k) {
    const double factor = model.term(k, x + 1, y + 1);
    for (double& pixel : mask.pixels) pixel += factor * *plane++;
  }
  return numpy_image(std::move(mask));
}

/// Draws a star of flux 1 at (x, y) in pixels of the image: a square with `half` pixels on each side of the pixel that
/// contains (x, y). The shape of the PSF is that at (of_x, of_y).
nb::object draw(const Psf& psf, double x, double y, int half, double of_x, double of_y) {
  constexpr int most_half = 1000;
  if (!(half >= 0 && half <= most_half)) throw Error(ErrorKind::config, "half is no number from 0 to 1000");
  const auto column = static_cast<std::int32_t>(std::floor(x + 0.5)),
             row = static_cast<std::int32_t>(std::floor(y + 0.5));
  const ApertureBox whole{column - half, column + half + 1, row - half, row + half + 1, false};
  const HostLanes lanes;
  PsfStamp<HostLanes> stamp(psf.model, lanes.scratch(PsfStamp<HostLanes>::numbers_for(psf.model, 1)));
  stamp.go_to(lanes, of_x, of_y);
  stamp.take(lanes, psf.model.light());
  stamp.draw(lanes, x, y, whole);
  const ApertureBox covered = stamp.covered(whole, 0);
  Image<double, Cpu> image({2 * half + 1, 2 * half + 1}, Cpu{1});
  std::fill(image.pixels.begin(), image.pixels.end(), 0);
  for (std::int32_t v = covered.y_begin; v < covered.y_end; ++v)
    for (std::int32_t u = covered.x_begin; u < covered.x_end; ++u)
      image.pixels[(v - whole.y_begin) * image.shape.width + (u - whole.x_begin)] = *stamp.at(u, v);
  return numpy_image(std::move(image));
}

}  // namespace

Psf psf_of_table(NumberTable table, const std::string& name) {
  TableNumbers numbers = psf_numbers({table});
  if (!numbers.problem.empty()) throw Error(ErrorKind::config, name + ": " + numbers.problem);
  return Psf(std::move(table), std::move(numbers.sets.front()));
}

void bind_psf(nb::module_& module) {
  using Cards = std::map<std::string, std::variant<double, std::string>, std::less<>>;
  nb::class_<Psf>(module, "Psf")
      .def_prop_ro("cards", [](const Psf& self) { return self.table.cards; })
      .def_prop_ro("planes",
                   [](nb::object self) {
                     const auto& [table, numbers, model] = nb::cast<const Psf&>(self);
                     const auto size = [](int count) { return static_cast<std::size_t>(count); };
                     return numpy_array(table.columns.at("PSF_MASK").data(),
                                        {size(model.terms), size(model.rows), size(model.columns)}, self);
                   })
      .def_prop_ro("step", [](const Psf& self) { return self.model.step; })
      .def_prop_ro("fwhm", [](const Psf& self) { return self.model.fwhm; })
      .def_prop_ro("sum", [](const Psf& self) { return psf_sum(self.numbers); })
      .def("at", &mask_at, nb::arg("x"), nb::arg("y"))
      .def("draw", &draw, nb::arg("x"), nb::arg("y"), nb::arg("half"), nb::arg("of_x"), nb::arg("of_y"))
      .def("write", &write_psf_file, nb::arg("path"));
  module.def("read_psf", &read, nb::arg("path"));
  module.def(
      "make_psf",
      [](const Cards& cards, std::vector<double> mask) {
        NumberTable table{.name = "PSF_DATA", .cards = cards, .columns = {}, .rows = 1};
        table.columns["PSF_MASK"] = std::move(mask);
        return psf_of_table(std::move(table), "the PSF");
      },
      nb::arg("cards"), nb::arg("mask"));
}

}  // namespace srcextract::python
