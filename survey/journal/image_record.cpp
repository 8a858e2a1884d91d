#include "survey/journal/image_record.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "io/files/utf8.hpp"
#include "survey/inputs/leads_up.hpp"
#include "survey/journal/json_values.hpp"

namespace srcextract {
namespace {

using Json = nlohmann::ordered_json;

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

std::string escaped(const std::string& bytes) {
  const auto is_plain = [](char c) { return c != 0 && is_ascii(c); };
  if (std::all_of(bytes.begin(), bytes.end(), is_plain)) return bytes;
  if (bytes.find('\0') == std::string::npos && as_utf8(bytes) == bytes) return bytes;
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    if (is_plain(c)) {
      text += c;
    } else {
      text += '\0';
      text += digits[static_cast<unsigned char>(c) >> 4];
      text += digits[static_cast<unsigned char>(c) & 15];
    }
  }
  return text;
}

std::string unescaped(const std::string& text) {
  std::size_t escape = text.find('\0');
  if (escape == std::string::npos) return text;
  std::string bytes;
  std::size_t at = 0;
  for (; escape != std::string::npos; escape = text.find('\0', at)) {
    bytes.append(text, at, escape - at);
    unsigned char byte = 0;
    const char* digits = text.data() + escape + 1;
    const char* end = text.data() + std::min(escape + 3, text.size());
    at = static_cast<std::size_t>(std::from_chars(digits, end, byte, 16).ptr - text.data());
    bytes += static_cast<char>(byte);
  }
  return bytes.append(text, at);
}

/// Converts a number to JSON. JSON has no infinite numbers and no NaN, so these become the texts "nan", "-inf" and so
/// on. Finite numbers get enough digits to restore the same bits.
Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::string(std::signbit(value) ? "-" : "") + (std::isnan(value) ? "nan" : "inf");
}

double number_from(const ReadJson& json) {
  if (!json.is_string()) return json.get<double>();
  const std::string& text = json.get_ref<const std::string&>();
  constexpr std::array<std::string_view, 4> not_finite = {"nan", "-nan", "inf", "-inf"};
  if (std::ranges::find(not_finite, text) == not_finite.end()) throw std::range_error("no number");
  return std::strtod(text.c_str(), nullptr);
}

std::string text_from(const ReadJson& json) {
  return unescaped(json.get_ref<const std::string&>());
}

/// Reads a text that must not be empty.
std::string name_from(const ReadJson& json) {
  std::string name = text_from(json);
  if (name.empty()) throw std::range_error("no name");
  return name;
}

/// Reads the path of an output, relative to the journal's directory. Throws for a path outside that directory, so that
/// a forged journal cannot make merge read other files.
std::string output_from(const std::string& text) {
  std::string path = unescaped(text);
  if (path.empty() || path.starts_with('/') || path.find('\0') != std::string::npos || leads_up(path))
    throw std::range_error("no path below the output directory");
  return path;
}

void add_results(const ImageRecord& record, Json& json) {
  Json outputs = Json::object();
  for (const auto& [path, bytes] : record.outputs) outputs[escaped(path)] = bytes;
  json["datasum"] = record.datasum;
  json["size"] = {record.width, record.height};
  json["sources"] = record.sources;
  json["background"] = number(record.background);
  json["sigma"] = number(record.sigma);
  json["outputs"] = std::move(outputs);
  if (record.catalog_crc32) json["crc32"] = *record.catalog_crc32;
}

void read_results(const ReadJson& json, ImageRecord& record) {
  record.datasum = integer_from<std::uint32_t>(json.at("datasum"));
  record.width = integer_from<std::int64_t>(json.at("size").at(0), 0);
  record.height = integer_from<std::int64_t>(json.at("size").at(1), 0);
  record.sources = integer_from<std::int64_t>(json.at("sources"), 0);
  record.background = number_from(json.at("background"));
  record.sigma = number_from(json.at("sigma"));
  for (const auto& [path, bytes] : json.at("outputs").items())
    record.outputs.emplace_back(output_from(path), integer_from<std::int64_t>(bytes, 0));
  if (json.contains("crc32")) record.catalog_crc32 = integer_from<std::uint32_t>(json.at("crc32"));
}

ImageRecord record_from(const ReadJson& json) {
  ImageRecord record;
  record.name = name_from(json.at("image"));
  if (json.contains("hdu")) record.hdu = integer_from<int>(json.at("hdu"), 0);
  if (json.contains("images")) record.images = integer_from<int>(json.at("images"), 0);
  record.path = text_from(json.at("path"));
  record.bytes = integer_from<std::int64_t>(json.at("bytes"), 0);
  record.modified = integer_from<std::int64_t>(json.at("modified"));
  record.config = name_from(json.at("config"));
  record.program = text_from(json.at("program"));
  record.done = !json.contains("failed");
  if (record.done) {
    read_results(json, record);
  } else {
    record.kind = text_from(json.at("failed"));
    record.reason = shortened(text_from(json.at("reason")));
  }
  return record;
}

}  // namespace

std::string image_label(const ImageRecord& record) {
  return record.hdu ? record.name + "[" + std::to_string(*record.hdu) + "]" : record.name;
}

std::string shortened(std::string reason, std::size_t most) {
  if (reason.size() <= most) return reason;
  constexpr std::string_view mark = "...";
  // The cut must not be inside a character of UTF-8, which has up to three bytes 10xxxxxx after its first byte.
  std::size_t end = most - mark.size();
  for (int i = 0; i < 3 && (static_cast<unsigned char>(reason[end]) & 0xc0) == 0x80; ++i) --end;
  return reason.replace(end, reason.npos, mark);
}

std::string format_record(const ImageRecord& record) {
  Json json;
  json["image"] = escaped(record.name);
  if (record.hdu) json["hdu"] = *record.hdu;
  if (record.images != 1) json["images"] = record.images;
  json["path"] = escaped(record.path);
  json["bytes"] = record.bytes;
  json["modified"] = record.modified;
  json["config"] = escaped(record.config);
  json["program"] = escaped(record.program);
  if (record.done) {
    add_results(record, json);
  } else {
    json["failed"] = escaped(record.kind);
    json["reason"] = escaped(record.reason);
  }
  return json.dump();
}

std::optional<ImageRecord> parse_record(std::string_view line) {
  try {
    return record_from(ReadJson::parse(line));
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const std::range_error&) {
    return std::nullopt;
  }
}

}  // namespace srcextract
