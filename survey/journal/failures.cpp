#include "survey/journal/failures.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "io/catalog/text_values.hpp"
#include "io/files/output_file.hpp"

namespace srcextract {
namespace {

std::string quoted(std::string field) {
  if (is_formula(field)) field.insert(0, "'");
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

std::string row(const ImageRecord& record) {
  return quoted(record.name) + "," + (record.hdu ? std::to_string(*record.hdu) : "") + "," + quoted(record.path) + "," +
         quoted(record.kind) + "," + quoted(record.reason) + "\n";
}

/// Removes a file; does nothing if there is none.
void remove(const std::string& path) {
  std::error_code reason;
  std::filesystem::remove(path, reason);
  if (reason) throw write_error(path, reason.value());
}

}  // namespace

Failures::Failures(std::string path, const Ledger& before, std::vector<std::string> superseded)
    : path_(std::move(path)), superseded_(std::move(superseded)) {
  for (const auto& [name, images] : before)
    for (const auto& [hdu, record] : images)
      if (!record.done) failed_.remember(record);
}

void Failures::note(const ImageRecord& record) {
  if (record.done && !failed_.contains(record.name)) return;
  changed_ = true;
  failed_.remember(record);
  if (record.done) failed_.forget(record.name, record.hdu.value_or(-1));
}

void Failures::write() {
  if (!changed_) return;
  if (failed_.empty()) {
    remove(path_);
  } else {
    OutputFile file(path_);
    file.write(format_failures(failed_));
    file.commit();
  }
  for (const std::string& path : superseded_) remove(path);
  superseded_.clear();
  changed_ = false;
}

std::string failures_path(const std::string& directory, const Shard& shard) {
  return std::filesystem::path(directory) / ("failures" + shard_suffix(shard) + ".csv");
}

std::string format_failures(const Ledger& ledger) {
  std::string text = "image,hdu,path,kind,reason\n";
  for (const auto& [name, images] : ledger)
    for (const auto& [hdu, record] : images)
      if (!record.done) text += row(record);
  return text;
}

}  // namespace srcextract
