#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace srcextract::sextractor {

/// Calls f(line, `path:line`) for each line of a text of at most 1 MiB, which may be a pipe. Throws Error{config} if
/// the text cannot be read, is larger, or holds control characters.
void for_each_text_line(const std::string& path, const std::function<void(std::string_view, const std::string&)>& f);

/// A key or column that SExtractor 2.25 does not know and skips; older versions may have had it.
struct UnknownName {
  std::string name;
  std::string place;  ///< `file:line`
};

/// The file that SExtractor would open for this name, relative to the working directory; else the file beside
/// `configuration`; empty if there is neither.
std::string find_file(const std::string& name, const std::string& configuration);

/// A file and, for FILE[2], the number of an HDU, as SExtractor names an image.
struct NamedImage {
  std::string path, extension;  ///< extension: empty without brackets
};

/// Parses the name of an image. If a file exists whose name has the brackets, they are part of the name. Throws
/// Error{config} that begins with `where` if there is no number in the brackets.
NamedImage named_image(const std::string& text, const std::string& where);

}  // namespace srcextract::sextractor
