#include "pipeline/sextractor/catalogue.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <variant>

#include "io/catalog/row_sink.hpp"
#include "io/wcs/wcs.hpp"
#include "pipeline/extract/add_sky_columns.hpp"
#include "sextractor/columns.hpp"
#include "stages/catalogue/declared_columns.hpp"
#include "stages/core/error.hpp"

namespace srcextract {
namespace {

using sextractor::Parameter;

/// Whether a column has several values, such as one per aperture, flux fraction or flag map.
bool is_vector(const std::string& column) {
  return column.ends_with("IMAFLAGS_ISO") || std::ranges::any_of(declared_columns(), [&](const DeclaredColumn& known) {
           return known.repeated && known.column.name == column;
         });
}

/// Number of values of a column that the user requested. A size is ignored, as in SExtractor, if the column is no
/// vector.
std::size_t values_of(const Parameter& parameter) {
  return parameter.sizes.empty() || !is_vector(parameter.name) ? 1 : static_cast<std::size_t>(parameter.sizes.front());
}

[[noreturn]] void fail_without(const Parameter& parameter, const std::string& image, const std::string& reason) {
  const char* const remedy = reason.empty() || reason == no_celestial_wcs
                                 ? "; SExtractor would make its values up: take the column out, or give the image a "
                                   "celestial WCS"
                                 : "; take the column out, or give the image another WCS";
  const bool of_size = needs_pixel_size_alone(sextractor::our_column(parameter.name));
  throw Error(ErrorKind::input, image + ": " + parameter.name + " (" + parameter.place + ") needs " +
                                    (of_size ? "the size of a pixel on the sky" : "positions on the sky") +
                                    (reason.empty() ? "" : ", and " + reason) + remedy +
                                    (of_size ? ", or PIXEL_SCALE, in arcseconds" : ""));
}

/// Makes a writer of one text file for the rows of all images.
std::unique_ptr<RowSink> text_sink(const std::string& type, OutputFile& file, const CatalogRows& rows,
                                   std::int64_t count, const CatalogMetadata& metadata, const Cpu& where) {
  if (type == "ASCII_VOTABLE") return votable_text_sink(file, rows, count, metadata, where);
  const SextractorHeader header = type == "ASCII_HEAD"     ? SextractorHeader::head
                                  : type == "ASCII_SKYCAT" ? SextractorHeader::skycat
                                                           : SextractorHeader::none;
  return sextractor_text_sink(file, rows, metadata, header);
}

}  // namespace

void require_sky_of(const std::string& image, const std::string& header, bool has_scale,
                    const std::vector<Parameter>& parameters) {
  const auto on_sky = [&](const Parameter& parameter) {
    const std::string ours = sextractor::our_column(parameter.name);
    return is_on_sky(ours) && !(has_scale && needs_pixel_size_alone(ours));
  };
  const auto first = std::ranges::find_if(parameters, on_sky);
  if (first == parameters.end()) return;
  constexpr double corner[] = {1};
  std::vector<SkyPosition> position;
  if (const std::string reason = find_on_sky(header, corner, corner, position); !reason.empty())
    fail_without(*first, image, reason);
}

ArrangedRows::ArrangedRows(const CatalogPiece& piece, const std::vector<Parameter>& parameters, int extension)
    : rows_{{}, piece.sources.size()} {
  const auto count = static_cast<std::size_t>(rows_.count);
  extension_.assign(count, static_cast<std::int16_t>(extension));
  no_value_.resize(count);
  no_flags_.resize(count);
  const CatalogRows all = rows_of(piece.sources, Vectors::joined, piece.vignets);
  for (const Parameter& parameter : parameters) add(all, parameter, piece);
}

void ArrangedRows::add(const CatalogRows& all, const Parameter& parameter, const CatalogPiece& piece) {
  if (parameter.name == "EXT_NUMBER") {
    rows_.fields.push_back({{"EXT_NUMBER", "", "meta.id;instr.det", "Number of the image in its file, from 1", 0},
                            FieldValues<std::int16_t>{{extension_.data()}}});
    return;
  }
  if (is_of_association(parameter.name)) return add_association(parameter, piece.associations);
  const std::string ours = sextractor::our_column(parameter.name);
  const auto found = std::ranges::find_if(
      all.fields, [&](const CatalogField& field) { return common_name(field.column.name) == ours; });
  if (found == all.fields.end()) fail_without(parameter, piece.name, "");
  CatalogField field = *found;
  field.column.name = parameter.name.c_str();
  std::visit(
      [&]<class T>(FieldValues<T>& values) {
        if (values.width > 0) return;  // VIGNET: a picture has a fixed size
        const std::size_t wanted = std::is_same_v<T, float> ? values.size() : values_of(parameter);
        values.elements.resize(std::min(wanted, values.size()));
        if constexpr (std::is_same_v<T, double>) values.elements.resize(wanted, no_value_.data());
        if constexpr (std::is_same_v<T, std::int64_t>) values.elements.resize(wanted, no_flags_.data());
      },
      field.values);
  rows_.fields.push_back(std::move(field));
}

void ArrangedRows::add_association(const Parameter& parameter, const Associations& associations) {
  if (parameter.name == "NUMBER_ASSOC") {
    rows_.fields.push_back(
        {{"NUMBER_ASSOC", "", "meta.number;src", "Number of places of ASSOC_NAME within ASSOC_RADIUS", 0},
         FieldValues<std::int32_t>{{associations.number.data()}}});
    return;
  }
  FieldValues<double> values;
  for (const std::vector<double>& column : associations.vector) values.elements.push_back(column.data());
  rows_.fields.push_back(
      {{"VECTOR_ASSOC", "", "src", "What ASSOC_NAME has of the associated places", 0}, std::move(values)});
}

OutputFile write_named_catalogue(const std::string& path, const std::string& type,
                                 const std::vector<CatalogPiece>& pieces, const std::vector<Parameter>& parameters,
                                 const Cpu& where) {
  OutputFile file(path);
  std::vector<std::unique_ptr<ArrangedRows>> arranged;
  std::int64_t count = 0;
  const auto shows_sky = [](const CatalogPiece& piece) { return !piece.without_sky; };
  const CatalogPiece& usual = *std::ranges::find_if(pieces, shows_sky);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    // An image without a sky gets the columns of an image with a sky, but no rows.
    const bool any = shows_sky(pieces[i]);
    arranged.push_back(std::make_unique<ArrangedRows>(any ? pieces[i] : usual, parameters, pieces[i].extension));
    if (!any) arranged.back()->drop_rows();
    count += arranged.back()->rows().count;
  }
  if (type.starts_with("FITS")) {
    const SextractorTable table = type == "FITS_LDAC" ? SextractorTable::ldac : SextractorTable::objects;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const CatalogRows& rows = arranged[i]->rows();
      write_all(*sextractor_table_sink(file, rows, rows.count, pieces[i].metadata, where, table), rows);
    }
    return file;
  }
  const auto sink = text_sink(type, file, arranged.front()->rows(), count, pieces.front().metadata, where);
  for (const auto& piece : arranged) sink->write(piece->rows());
  sink->finish();
  return file;
}

}  // namespace srcextract
