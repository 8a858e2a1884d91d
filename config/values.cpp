#include "config/values.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <system_error>

#include "stages/core/ascii.hpp"
#include "stages/core/decimal.hpp"
#include "stages/core/error.hpp"
#include "stages/core/shortest_number.hpp"
#include "stages/core/words.hpp"

namespace srcextract::config {
namespace {

using Kind = Value::Kind;

bool is_one_of(const std::string& text, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

[[noreturn]] void fail_type(const Value& value, const std::string& name, const std::string& wanted,
                            const std::string& hint = "") {
  const std::string what = value.kind == Kind::list     ? "a list"
                           : value.kind == Kind::map    ? "a map"
                           : value.kind == Kind::quoted ? "the text " + quoted(value.text)
                                                        : quoted(value.text);
  fail(value.place, "'" + name + "' must be " + wanted + ", not " + what + hint);
}

void refuse_empty(const Value& value, const std::string& name) {
  if (value.kind == Kind::empty) {
    fail(value.place, "'" + name + "' has no value; write one, or leave the key out for the default");
  }
}

/// Returns a hint to follow "must be a number, not ...", such as "; remove the quotes"; empty if no hint fits.
std::string number_hint(const Value& value) {
  if (value.kind == Kind::list || value.kind == Kind::map) return "";
  const std::string text = in_small_letters(value.text);
  double number = 0;
  if (parse_decimal(text, number) == std::errc{}) return value.kind == Kind::quoted ? "; remove the quotes" : "";
  if (text.find("inf") != std::string::npos || text.find("nan") != std::string::npos) return "; it must be finite";
  if (text.find(',') != std::string::npos) return "; the decimal sign is a point";
  if (text.size() > 1 && text[0] == '0' && (is_digit(text[1]) || text[1] == 'x' || text[1] == 'o'))
    return "; write it in decimal without leading zeros";
  return "";
}

bool is_whole_number(const std::string& text) {
  std::int64_t number = 0;
  return !text.empty() && is_digit(text[0]) && parse_decimal(text, number) == std::errc{};
}

/// Whether common YAML readers take `text`, unquoted, for a string. `text` may contain *, as patterns of column names
/// do. y and n are allowed, since columns may have these names, although YAML 1.1 defines y and n as booleans.
bool is_plain_column(const std::string& text) {
  const auto harmless = [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || c == ' ' || c == '*';
  };
  return !text.empty() && is_letter(text.front()) && text.back() != ' ' &&
         std::all_of(text.begin(), text.end(), harmless) &&
         !is_one_of(in_small_letters(text), {"true", "false", "null", "yes", "no", "on", "off"});
}

/// Whether every reader of YAML 1.1 or 1.2 takes `text`, unquoted, for a string.
bool is_plain_name(const std::string& text) {
  return is_plain_column(text) && text.find('*') == std::string::npos && !is_one_of(in_small_letters(text), {"y", "n"});
}

/// Whether the name of an HDU needs no quotes: as is_plain_name(), but *, ? and a comma before EXTVER are allowed.
bool is_plain_hdu(const std::string& text) {
  std::string name = text;
  std::erase_if(name, [](char c) { return c == '*' || c == '?' || c == ','; });
  return !text.empty() && is_letter(text.front()) && is_plain_name(name);
}

/// Whether `text` can be the name of a FITS extension. A header card holds at most 68 characters of a string value.
bool is_fits_name(const std::string& text) {
  const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
  return !text.empty() && text.size() <= 68 && std::all_of(text.begin(), text.end(), printable) &&
         text.front() != ' ' && text.back() != ' ';
}

void read_name(const Value& value, const std::string& name, bool (&is_plain)(const std::string&), std::string& out) {
  refuse_empty(value, name);
  if (value.kind == Kind::list || value.kind == Kind::map) fail_type(value, name, "a name or a whole number");
  if (!is_fits_name(value.text)) {
    fail_type(value, name, "1 to 68 printable ASCII characters without a blank at either end");
  }
  if (value.kind == Kind::plain && !is_whole_number(value.text) && !is_plain(value.text)) {
    fail_type(value, name, "a name or a whole number from 0", "; a name like this one must stand in quotes");
  }
  out = value.text;
}

}  // namespace

void fail(const std::string& place, const std::string& problem) {
  throw Error(ErrorKind::config, place + ": " + problem);
}

void read_value(const Value& value, const std::string& name, double& out) {
  refuse_empty(value, name);
  const std::errc error = value.kind == Kind::plain ? parse_decimal(value.text, out) : std::errc::invalid_argument;
  if (error == std::errc::result_out_of_range) fail_type(value, name, "within the range of a double");
  if (error != std::errc{}) fail_type(value, name, "a number", number_hint(value));
}

void read_value(const Value& value, const std::string& name, std::int64_t& out) {
  refuse_empty(value, name);
  const std::errc error = value.kind == Kind::plain ? parse_decimal(value.text, out) : std::errc::invalid_argument;
  if (error == std::errc::result_out_of_range) fail_type(value, name, "within the range of a 64-bit integer");
  double number = 0;
  if (error != std::errc{} && value.kind == Kind::plain && parse_decimal(value.text, number) == std::errc{}) {
    fail_type(value, name, "a whole number", "; write it without point and exponent");
  }
  if (error != std::errc{}) fail_type(value, name, "a whole number", number_hint(value));
}

void read_value(const Value& value, const std::string& name, bool& out) {
  refuse_empty(value, name);
  const bool yes = is_one_of(value.text, {"true", "True", "TRUE"});
  const bool no = is_one_of(value.text, {"false", "False", "FALSE"});
  if (value.kind == Kind::plain && (yes || no)) {
    out = yes;
    return;
  }
  const std::string word = in_small_letters(value.text);
  const char* hint = yes || no                                           ? "; remove the quotes"
                     : is_one_of(word, {"yes", "on", "y", "1", "true"})  ? "; write true"
                     : is_one_of(word, {"no", "off", "n", "0", "false"}) ? "; write false"
                                                                         : "";
  fail_type(value, name, "true or false", hint);
}

void read_value(const Value& value, const std::string& name, std::string& out) {
  read_name(value, name, is_plain_name, out);
}

void read_value(const Value& value, const std::string& name, HduNames& out) {
  if (value.kind == Kind::list && value.items.empty()) fail(value.place, "'" + name + "' is empty; name an HDU");
  out.names.clear();
  for (const Value& item : value.kind == Kind::list ? value.items : std::vector<Value>{value})
    read_name(item, name, is_plain_hdu, out.names.emplace_back());
}

void read_column(const Value& value, const std::string& name, std::string& out) {
  read_name(value, name, is_plain_column, out);
}

void read_path(const Value& value, const std::string& name, std::string& out) {
  refuse_empty(value, name);
  if (value.kind == Kind::list || value.kind == Kind::map) fail_type(value, name, "a path");
  const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
  if (std::ranges::any_of(value.text, control)) fail(value.place, "'" + name + "' holds a control character");
  double number = 0;
  const bool other =
      is_one_of(in_small_letters(value.text), {"true", "false", "null", "~", "yes", "no", "on", "off", "y", "n"}) ||
      (!is_whole_number(value.text) && parse_decimal(value.text, number) != std::errc::invalid_argument);
  if (value.kind == Kind::plain && other)
    fail_type(value, name, "a path", "; a name like this one must stand in quotes");
  out = value.text;
}

void read_number_or_path(const Value& value, const std::string& name, std::string& out) {
  const bool scalar = value.kind == Kind::plain || value.kind == Kind::quoted;
  if (!scalar || !given_number(value.text)) return read_path(value, name, out);
  out = value.text;
}

void read_paths(const Value& value, const std::string& name, std::vector<std::string>& out) {
  require_list(value, name);
  out.clear();
  for (const Value& item : value.items) read_path(item, name, out.emplace_back());
}

void require_list(const Value& value, const std::string& name) {
  refuse_empty(value, name);
  if (value.kind == Kind::list) return;
  fail_type(value, name, "a list", value.kind == Kind::map ? "" : "; write [" + value.text + "]");
}

std::size_t read_word(const Value& value, const std::string& name, const std::vector<std::string>& words) {
  refuse_empty(value, name);
  const auto found = std::find(words.begin(), words.end(), value.text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  const std::string near = nearest(value.text, words);
  const bool is_file = std::ranges::count(words, "file") > 0 && value.text.find('.') != value.text.npos;
  fail_type(value, name, "one of " + join(words),
            is_file        ? "; write file, and name it in " + name.substr(0, name.find('.')) + ".file"
            : near.empty() ? ""
                           : "; did you mean '" + near + "'?");
}

std::vector<std::size_t> read_words(const Value& value, const std::string& name, const std::vector<std::string>& words,
                                    bool none) {
  require_list(value, name);
  if (value.items.empty() && !none) fail(value.place, "'" + name + "' is empty; name at least one of " + join(words));
  std::vector<std::size_t> indices;
  std::set<std::size_t> seen;
  for (const Value& item : value.items) {
    indices.push_back(read_word(item, name, words));
    if (!seen.insert(indices.back()).second) fail(item.place, "'" + name + "' names " + quoted(item.text) + " twice");
  }
  return indices;
}

std::string format_value(double value) {
  std::string text = shortest(value);
  // YAML 1.1 reads 1e+20 as a string, but 1.0e+20 as a number.
  if (text.find('.') == std::string::npos) text.insert(std::min(text.find('e'), text.size()), ".0");
  return text;
}

std::string format_value(std::int64_t value) {
  return std::to_string(value);
}

std::string format_value(bool value) {
  return value ? "true" : "false";
}

std::string format_value(const std::string& value) {
  if (is_whole_number(value) || is_plain_name(value)) return value;
  std::string text;
  for (char c : value) text += c == '\'' ? "''" : std::string(1, c);
  return "'" + text + "'";
}

std::string format_value(const HduNames& value) {
  return value.names.size() == 1 ? format_value(value.names.front()) : format_value(value.names);
}

std::string format_value(const std::map<std::string, std::string>& names) {
  std::string text;
  for (const auto& [name, value] : names) {
    text += (text.empty() ? "" : ", ") + format_value(name) + ": " + format_value(value);
  }
  return "{" + text + "}";
}

}  // namespace srcextract::config
