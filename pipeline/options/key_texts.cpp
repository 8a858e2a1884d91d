#include "pipeline/options/key_texts.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "config/config.hpp"
#include "stages/core/ascii.hpp"
#include "stages/core/error.hpp"
#include "stages/core/line_words.hpp"
#include "stages/core/words.hpp"

namespace srcextract {
namespace {

constexpr std::size_t line_width = 100;

std::string description_of(const config::Field& field) {
  std::string text = field.description + (field.allowed.empty() ? "" : "; allowed: " + field.allowed);
  std::erase(text, '`');
  return text;
}

/// Lists the keys that `wants` selects, each section under its name.
std::string keys_as_yaml(const std::function<bool(const config::Field&)>& wants) {
  const std::map<std::string, std::string> values = texts_of(load_given("").config), alone = texts_of(Config{});
  std::string list, section;
  for (const config::Field& field : config_keys()) {
    if (!wants(field)) continue;
    if (section != field.section.name) {
      section = field.section.name;
      list += section + ":  # " + field.section.description + "\n";
    }
    const std::string &text = values.at(field.path()), &plain = alone.at(field.path());
    list += "  " + field.key + ": " + text + (text == plain ? "" : "  # with extends: none, " + plain) + "\n" +
            wrapped(description_of(field), "      # ");
  }
  std::erase(list, '`');
  return list;
}

std::string list_of_sections() {
  std::string list = "Sections of a configuration:\n", last;
  for (const config::Field& field : config_keys()) {
    if (last == field.section.name) continue;
    last = field.section.name;
    list += "  " + padded(last, 14) + field.section.description + "\n";
  }
  return list +
         "srcextract keys SECTION lists the keys of one; srcextract keys WORD (or all) those of all that have the\n"
         "word in their names or descriptions.\n";
}

[[noreturn]] void fail_no_key(const std::string& wanted) {
  const std::string section = wanted.substr(0, wanted.find('.'));
  std::vector<std::string> sections;
  for (const config::Field& field : config_keys()) sections.push_back(field.section.name);
  if (section != wanted && std::ranges::count(sections, section) > 0)
    throw Error(ErrorKind::config, quoted(wanted) + " is no key of a configuration; see srcextract keys " + section);
  const std::string near = nearest(section, sections);
  throw Error(ErrorKind::config, quoted(section) + " is no section of a configuration; " +
                                     (near.empty() ? "see srcextract keys" : "did you mean " + near + "?"));
}

}  // namespace

std::string wrapped(std::string_view text, const std::string& indent) {
  std::string lines, line = indent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (line.size() > indent.size() && line.size() + 1 + word.size() > line_width) {
      lines += line + "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + std::string(word);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return lines + line + "\n";
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

std::string keys_text(const std::string& wanted) {
  if (wanted.empty()) return list_of_sections();
  std::string list = keys_as_yaml([&](const config::Field& field) {
    return wanted == "all" || wanted == field.section.name || wanted == field.path();
  });
  if (list.empty() && wanted.find('.') == wanted.npos)
    list = keys_as_yaml([word = in_small_letters(wanted)](const config::Field& field) {
      return in_small_letters(field.path() + " " + field.description).find(word) != std::string::npos;
    });
  if (list.empty()) fail_no_key(wanted);
  return list;
}

std::string keys_that_matter(const std::vector<std::string>& paths, const std::string& config) {
  const std::map<std::string, std::string> values = texts_of(load_given(config).config);
  std::string list = "Keys that matter, for --set (srcextract keys has all):\n";
  for (const std::string& path : paths) {
    const auto field = std::ranges::find(config_keys(), path, &config::Field::path);
    if (field == config_keys().end()) throw Error(ErrorKind::internal, path + " is no key");
    list += "  " + path + "=" + values.at(path) + "\n" + wrapped(description_of(*field), "      ");
  }
  return list;
}

std::string settings_for_option(const std::string& option, const std::string& value) {
  std::string key = option.substr(std::min(option.find_first_not_of('-'), option.size())), settings;
  std::ranges::replace(key, '-', '_');
  const std::string given = finite_number(value) ? value : "VALUE";
  for (const bool detects : {true, false})  // the section that most users mean comes first
    for (const config::Field& field : config_keys())
      if (field.key == key && (field.section.name == std::string("detection")) == detects)
        settings += (settings.empty() ? "" : " or ") + ("--set " + field.path()) + "=" + given;
  return settings;
}

}  // namespace srcextract
