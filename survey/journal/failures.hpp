#pragma once

#include <string>
#include <vector>

#include "survey/journal/journal_files.hpp"

namespace srcextract {

/// Writes failures.csv, a table for users. The table lists the images of a shard, or of the whole survey, that failed
/// and were not done since.
class Failures {
 public:
  /// `before`: the records at the start. `superseded`: paths of tables of failures whose images are also in `before`;
  /// write() removes these tables.
  Failures(std::string path, const Ledger& before, std::vector<std::string> superseded = {});

  void note(const ImageRecord& record);

  /// Writes the file if the failures changed; removes the file if there are no failures. Throws Error{output}.
  void write();

 private:
  std::string path_;
  std::vector<std::string> superseded_;
  Ledger failed_;
  bool changed_ = true;  ///< true at first: a process that was killed may have left an outdated table
};

/// DIRECTORY/failures.csv for the whole survey, or DIRECTORY/failures.2-of-4.csv for a shard.
std::string failures_path(const std::string& directory, const Shard& shard);

/// The text of the table: CSV, quoted as in RFC 4180, with the columns image, hdu, path, kind and reason, and a row for
/// every failed record. Lines end in LF. A text that a spreadsheet would take for a formula gets an apostrophe in
/// front.
std::string format_failures(const Ledger& ledger);

}  // namespace srcextract
