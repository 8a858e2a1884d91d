#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>
#include <vector>

#include "stages/math/psf_model.hpp"
#include "stages/settings/number_tables.hpp"

namespace srcextract::python {

/// A PSF: PSFEx's table, and the numbers that are computed from it.
struct Psf {
  NumberTable table;
  std::vector<double> numbers;
  PsfModel model;

  Psf(NumberTable of_table, std::vector<double> of_numbers)
      : table(std::move(of_table)), numbers(std::move(of_numbers)), model(numbers.data()) {}
  Psf(const Psf& other) : Psf(other.table, other.numbers) {}
  Psf& operator=(const Psf&) = delete;
};

/// Makes a PSF of a table. Throws Error{config}, which begins with `name`, if the table is no usable PSF.
Psf psf_of_table(NumberTable table, const std::string& name);

/// `Psf`, and what reads or makes one.
void bind_psf(nanobind::module_& module);

}  // namespace srcextract::python
