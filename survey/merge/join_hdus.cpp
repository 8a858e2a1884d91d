#include "survey/merge/join_hdus.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "io/files/big_endian.hpp"
#include "io/files/input_file.hpp"
#include "io/tables/stored_table.hpp"
#include "io/tables/table_stream.hpp"
#include "survey/merge/merge_layout.hpp"
#include "survey/merge/merge_rows.hpp"

namespace srcextract {
namespace {

constexpr std::size_t number_bytes = 4;

std::vector<StoredColumn> first_columns(std::size_t name_bytes) {
  const auto width = static_cast<std::int64_t>(name_bytes);
  return {{"EXT_NUMBER", "J", "", "meta.id;meta.number", "HDU that the row is from; extensions count from 1",
           std::nullopt, number_bytes},
          {"EXTNAME", std::to_string(width) + "A", "", "meta.id", "Name of that HDU", std::nullopt, width}};
}

/// Where the rows of an HDU's catalogue are in its file.
struct HduRows {
  std::size_t arrangement;  ///< index in SurveyLayout of the catalogue's arrangement (sequence of columns)
  std::int64_t rows, data_begin;
};

}  // namespace

void join_hdus(const std::vector<HduCatalog>& catalogs, const std::string& output, const std::string& version,
               const std::function<void(const std::string&)>& warn) {
  std::size_t name_bytes = 1;
  for (const HduCatalog& catalog : catalogs) name_bytes = std::max(name_bytes, catalog.extname.size());
  SurveyLayout layout(first_columns(name_bytes));
  TableHead head{.name = "SOURCES", .columns = {}, .rows = 0, .creator = "srcextract " + version, .history = {}};
  StoredTableReader reader;
  std::vector<HduRows> all;
  for (const HduCatalog& catalog : catalogs) {
    const StoredTable& table = reader.read(InputFile(catalog.path));
    all.push_back({layout.add(table, catalog.path), table.rows, table.data_begin});
    head.rows += table.rows;
    if (head.history.empty()) head.history = table.history;
  }
  head.columns = layout.columns();
  if (const std::string mixed = layout.describe_mixed_units("the HDUs"); !mixed.empty())
    warn(output + ": " + mixed + "; the catalogue of each HDU keeps its unit");
  const std::vector<RowPlan> plans = layout.plans();
  TableStream out(output);
  out.begin(head);
  RowWriter writer(out);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string first(number_bytes, '\0');
    store_big_endian(static_cast<std::int32_t>(catalogs[i].hdu), std::as_writable_bytes(std::span(first)).data());
    writer.copy(InputFile(catalogs[i].path), all[i].rows, all[i].data_begin, plans[all[i].arrangement],
                first + catalogs[i].extname);
  }
  writer.flush();
  out.commit({});
}

}  // namespace srcextract
