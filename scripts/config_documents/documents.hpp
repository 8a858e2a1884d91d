#pragma once

#include <string>
#include <vector>

namespace srcextract::documents {

/// A file of the repository that is generated, wholly or in part, from the declarations of keys and columns.
struct Document {
  std::string path;  ///< path relative to the root of the repository
  std::string text;  ///< the text that the file must have
};

/// The generated files: config/default.yaml, the JSON schemas in config/, and the pages in docs/ that contain a table.
/// Hand-written text of the pages and of config/default.yaml is read from the files under `root`. Throws
/// std::runtime_error if a page cannot be read or lacks the lines that enclose its table.
std::vector<Document> documents(const std::string& root);

/// The text of a file; empty if the file cannot be read.
std::string file_text(const std::string& path);

}  // namespace srcextract::documents
