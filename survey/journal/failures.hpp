#pragma once

#include <string>
#include <vector>

#include "survey/journal/journal_files.hpp"

namespace srcextract {

/// Writes failures.csv, a table for people: the images of a shard, or of the whole survey, that failed and were not
/// done since.
class Failures {
 public:
  /// `before`: the records so far. `superseded`: paths of tables of failures whose images `before` includes; they are
  /// removed once this table is written.
  Failures(std::string path, const Ledger& before, std::vector<std::string> superseded = {});

  void note(const ImageRecord& record);

  /// Writes the file if the failures changed; removes it if there are none. Throws Error{output}.
  void write();

 private:
  std::string path_;
  std::vector<std::string> superseded_;
  Ledger failed_;
  bool changed_ = true;  ///< true at first, since a killed process may have left an old table
};

/// DIRECTORY/failures.csv, or DIRECTORY/failures.2-of-4.csv of a shard.
std::string failures_path(const std::string& directory, const Shard& shard);

/// CSV (RFC 4180) with the columns image, hdu, path, kind, reason; a row for every failed record.
std::string format_failures(const Ledger& ledger);

}  // namespace srcextract
