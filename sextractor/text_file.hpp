#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace srcextract::sextractor {

/// Calls f(line, place) for each line of the file or pipe `path`; `place` is `path:line`. Throws Error{config} if the
/// file cannot be read, is larger than 1 MiB, or contains control characters.
void for_each_text_line(const std::string& path, const std::function<void(std::string_view, const std::string&)>& f);

/// Called with the place (`file:line`) and a message when SExtractor would ignore a mistake: a misspelt name, or a text
/// instead of a number. The caller goes on if the function returns.
using OnMistake = std::function<void(const std::string& place, const std::string& message)>;

/// The strict OnMistake: throws Error{config} with place and message.
void refuse_mistake(const std::string& place, const std::string& message);

/// The name of a key or column that SExtractor 2.25 does not have and ignores; older versions may have had the name.
struct UnknownName {
  std::string name;
  std::string place;  ///< `file:line`
};

/// Returns `name` if a file of this name exists relative to the working directory, where SExtractor looks. Else returns
/// the path of a file of this name in the directory of the file `configuration`, or an empty text if there is none.
std::string find_file(const std::string& name, const std::string& configuration);

/// Part of a message if find_file() finds no file.
inline constexpr const char* no_such_file =
    "there is no such file, neither in the working directory nor beside the configuration";

/// An image as SExtractor names it: FILE, or FILE[2] with the number of an HDU.
struct NamedImage {
  std::string path, extension;  ///< `extension` is the number in brackets; empty without brackets
};

/// Splits the name of an image into file and HDU number. If a file exists whose own name ends in the brackets, the
/// brackets belong to `path`. Throws Error{config} that begins with `where` if the text in brackets is not a number.
NamedImage named_image(const std::string& text, const std::string& where);

}  // namespace srcextract::sextractor
