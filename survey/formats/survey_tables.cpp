#include "survey/formats/survey_tables.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "io/catalog/row_sink.hpp"
#include "io/catalog/table_writer.hpp"
#include "survey/formats/native_rows.hpp"

namespace srcextract {
namespace {

/// The text of a configuration in HISTORY lines. A line that fills its card continues in the next line, which does not
/// begin with a key.
std::string config_in(const std::vector<std::string>& history) {
  constexpr std::size_t full = 72;
  std::string text;
  std::size_t last = 0;
  bool in_config = false;
  for (const std::string& line : history) {
    if (in_config) {
      const bool goes_on = last == full && !line.starts_with("  ") && !line.ends_with(':');
      if (goes_on) text.pop_back();
      text += line + "\n";
      last = line.size();
    }
    in_config |= line == "srcextract config:";
  }
  return text;
}

/// One file per table, in a format other than FITS.
class ConvertedTables final : public StoredTables {
 public:
  explicit ConvertedTables(const std::string& path)
      : format_(format_of_ending(path).format), paths_(survey_files(path)) {
    files_.reserve(paths_.size());  // sinks point to its elements
  }

  void begin(const TableHead& head) override {
    end();
    if (files_.size() == paths_.size()) return;  // regions have no IMAGES
    metadata_ = {};
    constexpr std::string_view creator = "srcextract ";
    metadata_.version = head.creator.substr(creator.size());
    metadata_.config_yaml = config_in(head.history);
    rows_.emplace(head.columns, vectors_in(format_, head.rows));
    OutputFile& file = files_.emplace_back(paths_.at(files_.size()));
    sink_ = sink_of(format_)(file, rows_->fields(), head.rows, metadata_, where_);
  }

  void write(std::span<const std::byte> rows) override {
    if (sink_ && !rows.empty()) sink_->write(rows_->of(rows));
  }

  void commit(std::vector<OutputFile> beside) override {
    end();
    files_.reserve(files_.size() + beside.size());
    for (OutputFile& file : beside) files_.push_back(std::move(file));
    srcextract::commit(files_);
  }

 private:
  void end() {
    if (sink_) sink_->finish();
    sink_.reset();
  }

  CatalogFormat format_;
  std::vector<std::string> paths_;
  std::vector<OutputFile> files_;
  CatalogMetadata metadata_;
  Cpu where_;
  std::optional<NativeRows> rows_;
  std::unique_ptr<RowSink> sink_;
};

}  // namespace

std::vector<std::string> survey_files(const std::string& path) {
  const FormatNames& format = format_of_ending(path);
  if (format.format == CatalogFormat::fits || !format.table) return {path};
  return {path, survey_stem(path) + ".images" + format.ending};
}

std::string survey_stem(const std::string& path) {
  std::string stem = path.substr(0, path.size() - std::string_view(format_of_ending(path).ending).size());
  if (stem.ends_with(".cat")) stem.resize(stem.size() - 4);
  return stem;
}

std::unique_ptr<StoredTables> make_survey_tables(const std::string& path) {
  if (format_of_ending(path).format == CatalogFormat::fits) return std::make_unique<TableStream>(path);
  return std::make_unique<ConvertedTables>(path);
}

}  // namespace srcextract
