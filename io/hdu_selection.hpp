#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/fits_reader.hpp"
#include "io/input_file.hpp"

namespace srcextract {

/// Which HDUs input.hdu means: `auto`, `all`, a number from 0, or a name.
class HduSelection {
 public:
  explicit HduSelection(std::string text);

  bool all() const { return text_ == "all"; }
  bool selects(const Hdu& hdu) const;

  /// Throws the Error{input} that says why a selected HDU is not an image.
  [[noreturn]] void fail_on_kind(const Hdu& hdu, const InputFile& file) const;

  /// Throws the Error{input} that says why none of the HDUs of a file is selected.
  [[noreturn]] void fail_on_none(const std::vector<Hdu>& hdus, const InputFile& file) const;

 private:
  bool any() const { return all() || text_ == "auto"; }

  std::string text_;
  std::optional<int> number_;
};

}  // namespace srcextract
