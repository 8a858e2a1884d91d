#pragma once

#include <string>
#include <vector>

namespace srcextract::documents {

/// A file of the repository that is generated from the declaration of keys and columns, or of which a part is.
struct Document {
  std::string path;  ///< from the root of the repository
  std::string text;  ///< what it must hold
};

/// The JSON schemas in config/, and the pages in docs/ with their tables. The rest of a page is as it stands under
/// `root`, and so are the entries of config/default.yaml. Throws std::runtime_error if a page cannot be
/// read or has no place for its table.
std::vector<Document> documents(const std::string& root);

/// The text of a file; empty if there is none.
std::string file_text(const std::string& path);

}  // namespace srcextract::documents
