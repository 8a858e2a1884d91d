#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace srcextract::sextractor {

/// Calls f(line, its place `path:line`) for each line of a text of at most 1 MiB, which may be a pipe. Throws
/// Error{config} if it cannot be read, is larger, or holds control characters.
void for_each_text_line(const std::string& path, const std::function<void(std::string_view, const std::string&)>& f);

/// A key or a column that SExtractor 2.25 does not know and passes over: older versions had others.
struct UnknownName {
  std::string name;
  std::string place;  ///< `file:line`
};

/// The file of this name that SExtractor would take, relative to the working directory; if there is none, the one
/// beside `configuration`; empty if there is none either.
std::string find_file(const std::string& name, const std::string& configuration);

/// A file, and of FILE[2] the number of an HDU, as SExtractor names an image.
struct NamedImage {
  std::string path, extension;  ///< the latter empty where there are no brackets
};

/// Brackets are part of the name where there is a file of it. Throws Error{config} that begins with `where`, if there
/// is no number between them.
NamedImage named_image(const std::string& text, const std::string& where);

}  // namespace srcextract::sextractor
