#include "survey/inputs/merged_tables.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "io/files/input_file.hpp"
#include "io/fits/fits_reader.hpp"
#include "stages/core/error.hpp"
#include "survey/inputs/wait_together.hpp"

namespace srcextract {
namespace {

bool is_table_of_survey(const std::string& path) {
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
    return false;  // opening the file as an image says what is wrong
  }
}

}  // namespace

std::vector<std::string> merged_tables(const ImageFiles& files, const std::function<bool(std::string_view)>& is_known) {
  std::vector<char> is_table(files.size());
  wait_together(files.size(),
                [&](std::size_t i) { is_table[i] = !is_known(files.name(i)) && is_table_of_survey(files[i].path); });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (is_table[i] != 0) names.emplace_back(files.name(i));
  return names;
}

ImageFiles without_names(ImageFiles files, const std::vector<std::string>& names) {
  if (names.empty()) return files;
  std::vector<std::size_t> others;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (!std::ranges::binary_search(names, files.name(i))) others.push_back(i);
  files.select(others);
  return files;
}

}  // namespace srcextract
