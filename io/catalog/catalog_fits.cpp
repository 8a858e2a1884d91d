#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/catalog/binary_rows.hpp"
#include "io/catalog/catalog_writers.hpp"
#include "io/catalog/row_sink.hpp"
#include "io/fits/card.hpp"
#include "io/fits/table_head.hpp"

namespace srcextract {
namespace {

TableHead head_of(const CatalogRows& rows, const std::vector<BinaryForm>& forms, const CatalogMetadata& metadata) {
  TableHead head{"CATALOG", {}, 0, "srcextract " + metadata.version, history_lines(metadata)};
  std::vector<std::string> names = fits_names(rows);
  for_each_field(rows, [&](const Column& column, const auto&) {
    const std::size_t i = head.columns.size();
    head.columns.push_back({.name = std::move(names[i]),
                            .form = forms[i].tform(),
                            .unit = printable_ascii(unit_of(column, metadata)),
                            .ucd = column.ucd,
                            .description = printable_ascii(column.description),
                            .bytes = forms[i].bytes,
                            .dim = forms[i].tdim});
  });
  return head;
}

/// Returns the header of a table with `count` rows. CFITSIO takes longer to build a header than the extraction of a
/// tiny image takes. Most catalogues of a survey have equal headers, so each thread reuses the last header if it can.
std::string header_of(TableHead head, std::int64_t count) {
  thread_local TableHead known;
  thread_local std::string header;
  if (header.empty() || head != known) header = table_header(head, Checksums::none);
  known = std::move(head);
  return with_rows(header, count);
}

}  // namespace

std::unique_ptr<RowSink> fits_sink(OutputFile& file, const CatalogRows& rows, std::int64_t count,
                                   const CatalogMetadata& metadata, const Cpu& where) {
  require_columns_fit(rows);
  std::vector<BinaryForm> forms = binary_forms(rows);
  file.write(with_image_cards(header_of(head_of(rows, forms, metadata), count), metadata.image));
  return binary_sink(file, std::move(forms), count, where);
}

}  // namespace srcextract
