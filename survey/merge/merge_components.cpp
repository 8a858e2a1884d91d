#include "survey/merge/merge_components.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

#include "io/tables/stored_table.hpp"
#include "stages/core/counted.hpp"
#include "stages/core/error.hpp"
#include "stages/settings/output_keys.hpp"
#include "survey/formats/survey_tables.hpp"
#include "survey/merge/merge_files.hpp"
#include "survey/merge/merge_images.hpp"
#include "survey/merge/merge_layout.hpp"
#include "survey/merge/merge_rows.hpp"

namespace srcextract {
namespace {

constexpr const char* fits_ending = ".fits";

/// A component table of one image, and what its header says.
struct ImageTable {
  std::size_t image = 0;
  WrittenFile file;
  std::size_t arrangement = 0;
  std::int64_t rows = 0, data_begin = 0;
};

/// The component tables of one kind (.srl or .gaul) of all images.
struct ComponentTables {
  SurveyLayout layout;
  std::vector<ImageTable> of_image = {};
  std::vector<std::string> history = {};
  std::int64_t rows = 0, without = 0;  ///< rows: sum over all tables; without: number of done images that lack the
                                       ///< table
};

ComponentTables look_at_tables(const ComponentFile& kind, const SurveyImages& images, const MergeOptions& options) {
  ComponentTables tables{SurveyLayout({image_column(images)})};
  StoredTableReader reader;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const SurveyImage image = images[i];
    if (!image.record.done) continue;
    std::optional<WrittenFile> file = output_with_ending(image, kind.of_images, options.directories);
    if (!file) {
      ++tables.without;
      continue;
    }
    ImageTable& one = tables.of_image.emplace_back(ImageTable{.image = i, .file = *std::move(file)});
    with_output(image, one.file, [&](const InputFile& input) {
      const StoredTable& table = reader.read(input);
      one.arrangement = tables.layout.add(table, one.file.path);
      one.rows = table.rows;
      one.data_begin = table.data_begin;
      if (tables.history.empty()) tables.history = table.history;
    });
    tables.rows += one.rows;
  }
  return tables;
}

void write_rows(const ComponentTables& tables, const TableHead& head, const SurveyImages& images, StoredTables& out) {
  out.begin(head);
  const std::vector<RowPlan> plans = tables.layout.plans();
  RowWriter writer(out);
  for (const ImageTable& one : tables.of_image) {
    const SurveyImage image = images[one.image];
    with_output(image, one.file, [&](const InputFile& input) {
      writer.copy(input, one.rows, one.data_begin, plans[one.arrangement], image_text(image.record));
    });
  }
  writer.flush();
}

}  // namespace

std::vector<ComponentFile> find_component_files(const std::string& stem, const std::string& ending,
                                                const SurveyImages& images) {
  std::vector<ComponentFile> files;
  for (const std::string& name : names_of(ComponentTable{})) {
    const std::string kind = "." + name, of_images = kind + fits_ending;
    const auto has = [&](const auto& output) { return output.first.ends_with(of_images); };
    const auto of_image = [&](const SurveyImage& image) {
      return image.record.done && std::ranges::any_of(image.record.outputs, has);
    };
    bool any = false;
    for (const SurveyImage& image : images) any |= of_image(image);
    if (any) files.push_back({stem + kind + ending, of_images});
  }
  return files;
}

std::vector<OutputFile> write_components(const std::vector<ComponentFile>& files, const SurveyImages& images,
                                         const MergeOptions& options,
                                         const std::function<void(const std::string&)>& warn,
                                         std::vector<std::pair<std::string, std::int64_t>>& written) {
  std::vector<OutputFile> out;
  for (const ComponentFile& kind : files) {
    const ComponentTables tables = look_at_tables(kind, images, options);
    if (tables.without > 0)
      warn(counted(tables.without, "image") + " without a table " + kind.of_images + ": " + kind.path +
           " has the rows of the others");
    if (const std::string mixed = tables.layout.describe_mixed_units("the images"); !mixed.empty()) warn(mixed);
    TableHead head;
    head.name = "SOURCES";
    head.creator = "srcextract " + options.version;
    head.history = tables.history;
    head.columns = tables.layout.columns();
    head.rows = tables.rows;
    const std::unique_ptr<FileTables> stream = make_survey_tables(kind.path);
    write_rows(tables, head, images, *stream);
    std::ranges::move(stream->finish(), std::back_inserter(out));
    written.emplace_back(kind.path, tables.rows);
  }
  return out;
}

}  // namespace srcextract
