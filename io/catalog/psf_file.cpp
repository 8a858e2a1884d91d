#include "io/catalog/psf_file.hpp"

#include <cstddef>
#include <span>
#include <variant>
#include <vector>

#include "io/files/big_endian.hpp"
#include "io/fits/fits_reader.hpp"
#include "io/fits/header_values.hpp"
#include "io/fits/table_head.hpp"

namespace srcextract {
namespace {

/// A header card of a PSF file. `real` is true for a real number, false for an integer; either may be text instead. The
/// cards are in the order of PSFEx. Keywords in `of_dimension` are followed by the number of a dimension, from 1.
struct PsfCard {
  const char* name;
  bool real;
  const char* comment;
};
constexpr PsfCard before[] = {{"LOADED", false, "sources looked at"},
                              {"ACCEPTED", false, "stars that made the PSF"},
                              {"CHI2", true, "mean reduced chi2 of the stars"},
                              {"POLNAXIS", false, "dimensions of the polynomial"}};
constexpr PsfCard of_dimension[] = {{"POLGRP", false, "group of the dimension"},
                                    {"POLNAME", false, "what the PSF varies with"},
                                    {"POLZERO", true, "zero of the coordinate"},
                                    {"POLSCAL", true, "scale of the coordinate"}};
constexpr PsfCard after[] = {{"POLNGRP", false, "groups of the polynomial"},
                             {"POLDEG1", false, "degree of the polynomial"},
                             {"POLDEG2", false, "degree in the second group"},
                             {"POLDEG3", false, "degree in the third group"},
                             {"POLDEG4", false, "degree in the fourth group"},
                             {"PSF_FWHM", true, "twice the half-light radius of stars, pixels"},
                             {"PSF_SAMP", true, "side of a pixel of the mask, pixels"},
                             {"PSFNAXIS", false, "dimensions of the mask"},
                             {"PSFAXIS1", false, "columns"},
                             {"PSFAXIS2", false, "rows"},
                             {"PSFAXIS3", false, "terms of the polynomial"}};

std::string card_of(const NumberTable& table, const std::string& name, const PsfCard& card) {
  const auto found = table.cards.find(name);
  if (found == table.cards.end()) return "";
  if (const auto* const text = std::get_if<std::string>(&found->second))
    return format_card({name, *text}, card.comment);
  const double value = std::get<double>(found->second);
  return card.real ? format_card({name, value}, card.comment)
                   : format_card({name, static_cast<std::int64_t>(value)}, card.comment);
}

std::string cards_of(const NumberTable& table) {
  std::string cards;
  for (const PsfCard& card : before) cards += card_of(table, card.name, card);
  for (const char* dimension : {"1", "2", "3", "4"})
    for (const PsfCard& card : of_dimension) cards += card_of(table, card.name + std::string(dimension), card);
  for (const PsfCard& card : after) cards += card_of(table, card.name, card);
  return cards;
}

std::int64_t whole(const NumberTable& table, const char* name) {
  return static_cast<std::int64_t>(std::get<double>(table.cards.at(name)));
}

}  // namespace

OutputFile write_psf(const std::string& path, const NumberTable& table, const std::string& version) {
  const std::vector<double>& mask = table.columns.at("PSF_MASK");
  const std::int64_t bytes = std::ssize(mask) * static_cast<std::int64_t>(sizeof(float));
  const std::string sizes = "(" + std::to_string(whole(table, "PSFAXIS1")) + "," +
                            std::to_string(whole(table, "PSFAXIS2")) + "," + std::to_string(whole(table, "PSFAXIS3")) +
                            ")";
  OutputFile file(path);
  file.write(empty_primary_header());
  file.write(whole_header(format_card({"XTENSION", std::string("BINTABLE")}) +
                          format_card({"BITPIX", std::int64_t{8}}) + format_card({"NAXIS", std::int64_t{2}}) +
                          format_card({"NAXIS1", bytes}) + format_card({"NAXIS2", std::int64_t{1}}) +
                          format_card({"PCOUNT", std::int64_t{0}}) + format_card({"GCOUNT", std::int64_t{1}}) +
                          format_card({"TFIELDS", std::int64_t{1}}) + format_card({"EXTNAME", table.name}) +
                          cards_of(table) + format_card({"TTYPE1", std::string("PSF_MASK")}) +
                          format_card({"TFORM1", std::to_string(mask.size()) + "E"}) + format_card({"TDIM1", sizes}) +
                          format_card({"CREATOR", "srcextract " + version}, "program that wrote this file")));
  std::vector<std::byte> stored(static_cast<std::size_t>(bytes));
  std::byte* out = stored.data();
  for (const double value : mask) {
    store_big_endian(static_cast<float>(value), out);
    out += sizeof(float);
  }
  file.write(stored);
  fill_record(file, bytes);
  return file;
}

}  // namespace srcextract
