#include "survey/inputs/merged_table.hpp"

#include <optional>

#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"
#include "stages/core/error.hpp"

namespace srcextract {

bool is_merged_table(const std::string& path) {
  if (gzipped_size(path) > 0) return false;
  try {
    const InputFile file(path);
    FitsReader reader(file);
    const std::optional<Hdu> primary = reader.next();
    if (!primary || has_pixels(*primary)) return false;
    const std::optional<Hdu> table = reader.next();
    return table && table->kind == HduKind::binary_table && table->name == "SOURCES" &&
           table->header->first_text("CREATOR").starts_with("srcextract ");
  } catch (const Error&) {
    return false;
  }
}

}  // namespace srcextract
