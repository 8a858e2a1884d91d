#include "tests/support/fits_writer.hpp"

#include <fstream>
#include <stdexcept>

namespace srcextract::testing {
namespace {

constexpr std::size_t record = 2880;

std::string padded(std::string bytes, char filler) {
  bytes.resize((bytes.size() + record - 1) / record * record, filler);
  return bytes;
}

}  // namespace

std::string fits_card(const std::string& keyword, const std::string& value) {
  std::string card = keyword;
  card.resize(8, ' ');
  card += "= " + value;
  card.resize(80, ' ');
  return card;
}

std::string fits_header(const Cards& cards) {
  std::string header;
  for (const auto& [keyword, value] : cards) header += fits_card(keyword, value);
  return padded(header + "END", ' ');
}

std::string fits_data(std::string bytes) {
  return padded(std::move(bytes), '\0');
}

Cards image_cards(int bitpix, const std::vector<std::int64_t>& axes, const Cards& extra, Place place) {
  Cards cards;
  cards.emplace_back(place == Place::primary ? std::pair("SIMPLE", "T") : std::pair("XTENSION", "'IMAGE   '"));
  cards.emplace_back("BITPIX", std::to_string(bitpix));
  cards.emplace_back("NAXIS", std::to_string(axes.size()));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    cards.emplace_back("NAXIS" + std::to_string(i + 1), std::to_string(axes[i]));
  }
  if (place == Place::extension) cards.insert(cards.end(), {{"PCOUNT", "0"}, {"GCOUNT", "1"}});
  cards.insert(cards.end(), extra.begin(), extra.end());
  return cards;
}

std::string image_hdu(int bitpix, const std::vector<std::int64_t>& axes, const std::string& pixels, const Cards& extra,
                      Place place) {
  return fits_header(image_cards(bitpix, axes, extra, place)) + fits_data(pixels);
}

std::string table_hdu(const std::string& name) {
  return fits_header({{"XTENSION", "'BINTABLE'"},
                      {"BITPIX", "8"},
                      {"NAXIS", "2"},
                      {"NAXIS1", "1"},
                      {"NAXIS2", "3"},
                      {"PCOUNT", "0"},
                      {"GCOUNT", "1"},
                      {"TFIELDS", "1"},
                      {"TTYPE1", "'FLAG'"},
                      {"TFORM1", "'1B'"},
                      {"EXTNAME", "'" + name + "'"}}) +
         fits_data("abc");
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace srcextract::testing
