#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace srcextract::sextractor {

/// Calls f(line, `path:line`) for each line of a text of at most 1 MiB, which may be a pipe. Throws Error{config} if
/// the text cannot be read, is larger, or holds control characters.
void for_each_text_line(const std::string& path, const std::function<void(std::string_view, const std::string&)>& f);

/// Called with the place (`file:line`) and the text of a mistake that SExtractor passes over: a misspelt name, or a
/// text in the place of a number.
using OnMistake = std::function<void(const std::string& place, const std::string& message)>;

/// Throws Error{config} with place and message.
void refuse_mistake(const std::string& place, const std::string& message);

/// A key or column that SExtractor 2.25 skips as unknown; older versions had others.
struct UnknownName {
  std::string name;
  std::string place;  ///< `file:line`
};

/// The file that SExtractor would open for this name, relative to the working directory; else the file beside
/// `configuration`; empty if there is neither.
std::string find_file(const std::string& name, const std::string& configuration);

/// What messages say where find_file() finds none.
inline constexpr const char* no_such_file =
    "there is no such file, neither in the working directory nor beside the configuration";

/// A file and, for FILE[2], the number of an HDU, as SExtractor names an image.
struct NamedImage {
  std::string path, extension;  ///< extension: empty without brackets
};

/// Parses the name of an image. If a file exists whose name has the brackets, they are part of the name. Throws
/// Error{config} that begins with `where` if there is no number in the brackets.
NamedImage named_image(const std::string& text, const std::string& where);

}  // namespace srcextract::sextractor
