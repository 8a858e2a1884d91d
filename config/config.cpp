#include "config/config.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "config/checks.hpp"
#include "config/fields.hpp"
#include "config/values.hpp"

namespace srcextract {
namespace {

/// Far more than a configuration needs; it bounds what a wrong file can cost.
constexpr std::size_t max_bytes = std::size_t{1} << 20;

/// Where a piece of YAML comes from: a file, in which things stand at a line and column, or one --set.
struct Origin {
  std::string name;
  bool has_lines;

  std::string at(const YAML::Mark& mark) const {
    if (!has_lines || mark.is_null()) return name;
    return name + ":" + std::to_string(mark.line + 1) + ":" + std::to_string(mark.column + 1);
  }
};

/// A configuration on its way from the defaults to what the user asked for.
struct Draft {
  Config config;
  std::map<std::string, std::string> set_at;  ///< for each key that was set, by its path, where
};

/// yaml-cpp takes the byte 4 for the end of the text and reports a tab far from where it stands: refuse both first.
void check_characters(const std::string& text, const Origin& origin) {
  if (text.size() > max_bytes) fail(origin.name, "is larger than 1 MiB; this is not a configuration of srcextract");
  YAML::Mark mark;
  bool indentation = true;
  for (char c : text) {
    if (c == '\t' && indentation) {
      fail(origin.at(mark), "a tab in the indentation; YAML wants spaces");
    }
    if (static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r') {
      fail(origin.at(mark), "a control character; a configuration is plain UTF-8 text");
    }
    indentation = c == '\n' || (indentation && c == ' ');
    mark.line += c == '\n' ? 1 : 0;
    mark.column = c == '\n' ? 0 : mark.column + 1;
  }
}

/// Notes where the documents of a stream begin. YAML::Load reads the first and ignores the rest without a word, also
/// what follows a line that is indented less than the first.
class DocumentStarts : public YAML::EventHandler {
 public:
  std::vector<YAML::Mark> marks;

  void OnDocumentStart(const YAML::Mark& mark) override { marks.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

YAML::Node load_yaml(const std::string& text, const Origin& origin) {
  check_characters(text, origin);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    DocumentStarts starts;
    // Not to the end of the text: yaml-cpp reports a stray comma as empty documents without end.
    while (starts.marks.size() < 2 && parser.HandleNextDocument(starts)) {
    }
    if (starts.marks.size() > 1) {
      fail(origin.at(starts.marks[1]),
           "a second YAML document begins here, and a configuration is one; look for a stray character, '---', '...' "
           "or a line indented less than the first");
    }
    return YAML::Load(text);
  } catch (const YAML::DeepRecursion& error) {
    fail(origin.at(error.mark), "nested far too deeply; a configuration is sections of keys");
  } catch (const YAML::Exception& error) {
    fail(origin.at(error.mark), "not valid YAML: " + error.msg);
  }
}

/// An empty value stands nowhere: it is reported at its key.
Value to_value(const YAML::Node& node, const Origin& origin, const YAML::Mark& key) {
  // yaml-cpp's tag is ? for a plain scalar or a collection, ! for a quoted scalar.
  if (node.Tag().size() > 1)
    fail(origin.at(node.Mark()), "the tag " + quoted(node.Tag()) + " has no use here; remove it");
  Value value{
      .kind = Value::Kind::empty, .text = {}, .items = {}, .where = origin.at(node.IsNull() ? key : node.Mark())};
  if (node.IsSequence()) value.kind = Value::Kind::list;
  if (node.IsMap()) value.kind = Value::Kind::map;
  if (node.IsScalar()) {
    value.kind = node.Tag() == "!" ? Value::Kind::quoted : Value::Kind::plain;
    value.text = node.Scalar();
  }
  return value;
}

/// The same with the items of a list. No key holds a list of lists: an item's own items are left out.
Value to_value_with_items(const YAML::Node& node, const Origin& origin, const YAML::Mark& key) {
  Value value = to_value(node, origin, key);
  if (node.IsSequence()) {
    for (const YAML::Node& item : node) value.items.push_back(to_value(item, origin, node.Mark()));
  }
  return value;
}

/// Calls f(key, its mark, value node) for each entry of a map, in order. yaml-cpp keeps both of two equal keys.
template <class F>
void for_each_entry(const YAML::Node& map, const Origin& origin, const std::string& in, F&& f) {
  std::map<std::string, std::string> seen;
  for (const auto& entry : map) {
    const std::string where = origin.at(entry.first.Mark());
    if (!entry.first.IsScalar()) fail(where, "a key must be a word");
    const std::string& key = entry.first.Scalar();
    const auto [first, is_new] = seen.emplace(key, where);
    if (!is_new) fail(where, "duplicate key " + quoted(key) + in + "; it stands at " + first->second + " already");
    f(key, entry.first.Mark(), entry.second);
  }
}

void set_field(Draft& draft, const std::string& section, const std::string& key, const Value& value) {
  for_each_field(draft.config, [&](const Field& field, auto& member) {
    if (field.section != section || field.key != key) return;
    read_value(value, field.path(), member);
    draft.set_at[field.path()] = value.where;
  });
}

void read_section(Draft& draft, const std::string& section, const YAML::Mark& mark, const YAML::Node& node,
                  const Origin& origin) {
  check_section(section, origin.at(mark));
  if (node.IsNull()) fail(origin.at(mark), "section '" + section + "' is empty; give it a key, or leave it out");
  if (!node.IsMap()) {
    fail(origin.at(node.Mark()), "'" + section + "' is a section and must hold keys: " + keys_in(section));
  }
  for_each_entry(node, origin, " in '" + section + "'",
                 [&](const std::string& key, const YAML::Mark& key_mark, const YAML::Node& value) {
                   check_key(section, key, origin.at(key_mark));
                   set_field(draft, section, key, to_value_with_items(value, origin, key_mark));
                 });
}

void read_document(Draft& draft, const std::string& text, const Origin& origin) {
  const YAML::Node root = load_yaml(text, origin);
  if (root.IsNull()) return;
  if (!root.IsMap()) fail(origin.at(root.Mark()), "a configuration is a map of sections: " + all_sections());
  for_each_entry(root, origin, "", [&](const std::string& section, const YAML::Mark& mark, const YAML::Node& node) {
    read_section(draft, section, mark, node, origin);
  });
}

void apply_override(Draft& draft, const std::string& setting) {
  const Origin origin{"--set " + setting, false};
  const std::size_t equals = setting.find('=');
  const std::size_t dot = setting.find('.');
  if (equals == std::string::npos)
    fail(origin.name, "has no '='; write section.key=value, as in detection.threshold=4.5");
  const std::string section = setting.substr(0, std::min(dot, equals));
  check_section(section, origin.name);
  if (dot > equals) {
    fail(origin.name,
         "'" + section + "' is a section; write section.key=value with one of its keys: " + keys_in(section));
  }
  const std::string key = setting.substr(dot + 1, equals - dot - 1);
  check_key(section, key, origin.name);
  const YAML::Node node = load_yaml(setting.substr(equals + 1), origin);
  set_field(draft, section, key, to_value_with_items(node, origin, YAML::Mark::null_mark()));
}

std::string read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail(path, "is a directory; name the YAML file in it");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(max_bytes + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad())
    fail(path, std::string("the configuration cannot be read: ") + std::strerror(errno));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

}  // namespace

Config parse_config(const std::string& yaml, const std::string& name, const std::vector<std::string>& overrides) {
  Draft draft;
  read_document(draft, yaml, {name, true});
  check_limits(draft.config, draft.set_at, name);  // the file is valid by itself, as an editor with the schema sees it
  for (const std::string& setting : overrides) apply_override(draft, setting);
  check_limits(draft.config, draft.set_at, name);
  return draft.config;
}

Config load_config(const std::string& path, const std::vector<std::string>& overrides) {
  return parse_config(read_file(path), path, overrides);
}

std::string dump_config(const Config& config) {
  std::string yaml;
  std::string section;
  for_each_field(config, [&](const Field& field, const auto& value) {
    if (field.section != section) yaml += field.section + ":\n";
    section = field.section;
    yaml += "  " + field.key + ": " + format_value(value) + "\n";
  });
  return yaml;
}

}  // namespace srcextract
