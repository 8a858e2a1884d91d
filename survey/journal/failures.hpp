#pragma once

#include <string>
#include <vector>

#include "survey/journal/journal_files.hpp"

namespace srcextract {

/// The images of a shard, or of the whole, that failed and were not done since, as a table for people: failures.csv.
class Failures {
 public:
  /// `before` is what is known so far. It has what the tables `superseded` say as well: they go once this one is there.
  Failures(std::string path, const Ledger& before, std::vector<std::string> superseded = {});

  void note(const ImageRecord& record);

  /// Makes the file say what failed, if that changed; there is none if nothing did. Throws Error{output}.
  void write();

 private:
  std::string path_;
  std::vector<std::string> superseded_;
  Ledger failed_;
  bool changed_ = true;  ///< a killed process may have left the file as it was
};

/// DIRECTORY/failures.csv, or DIRECTORY/failures.2-of-4.csv of a shard.
std::string failures_path(const std::string& directory, const Shard& shard);

/// CSV (RFC 4180) with the columns image, hdu, path, kind, reason; a row for every record that failed.
std::string format_failures(const Ledger& ledger);

}  // namespace srcextract
