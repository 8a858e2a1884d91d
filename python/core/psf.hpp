#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "stages/math/psf_model.hpp"
#include "stages/settings/number_tables.hpp"

namespace srcextract::python {

/// A PSF: PSFEx's table (PSF_DATA), and the numbers of the model that are computed from the table.
struct Psf {
  NumberTable table;
  std::vector<double> numbers;
  PsfModel model;

  Psf(NumberTable of_table, std::vector<double> of_numbers)
      : table(std::move(of_table)), numbers(std::move(of_numbers)), model(numbers.data()) {}
  Psf(const Psf& other) : Psf(other.table, other.numbers) {}
  Psf& operator=(const Psf&) = delete;
};

/// Makes a PSF from a table. Throws Error{config}, with a message that begins with `name`, if the table is no usable
/// PSF.
Psf psf_of_table(NumberTable table, const std::string& name);

/// Adds the class `Psf`, and the functions that read or make PSFs.
void bind_psf(nanobind::module_& module);

}  // namespace srcextract::python
