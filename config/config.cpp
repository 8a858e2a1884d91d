#include "config/config.hpp"

#include <algorithm>
#include <any>
#include <filesystem>
#include <sstream>
#include <utility>

#include "config/default_yaml.hpp"
#include "config/number_file.hpp"
#include "config/sections.hpp"
#include "stages/core/error.hpp"
#include "stages/core/words.hpp"
#include "stages/settings/keys.hpp"

namespace srcextract {

using namespace config;  // for reading and writing YAML

namespace {

/// Name in error messages for a configuration that comes from no file.
const std::string default_name = "the default configuration";

/// Sets the key that `setting` names (`section.key=value`). Returns the key's path.
std::string apply_override(Draft<Config>& draft, const std::string& setting, const std::string& option) {
  const Fields& known = config_keys();
  const Origin origin{option + (option.ends_with(':') ? "" : " ") + setting, false};
  const std::size_t equals = setting.find('=');
  const std::size_t dot = setting.find('.');
  if (equals == std::string::npos)
    fail(origin.name, "has no '='; write section.key=value, as in detection.threshold=4.5");
  if (std::min(dot, equals) == 0)
    fail(origin.name, "names no section; write section.key=value, as in detection.threshold=4.5");
  const std::string section = setting.substr(0, std::min(dot, equals));
  if (section == "extends") fail(origin.name, "'extends' is a key of files; name another CONFIG before the image");
  check_section(known, section, origin.name);
  if (dot > equals) {
    fail(origin.name,
         "'" + section + "' is a section; write section.key=value with one of its keys: " + keys_in(known, section));
  }
  const std::string key = setting.substr(dot + 1, equals - dot - 1);
  check_key(known, section, key, origin.name);
  const std::string text = setting.substr(equals + 1);
  if (text.starts_with('[') && text.find(']') == text.npos)
    fail(origin.name,
         "the [ is not closed; a value with blanks has to be quoted for the shell, as in --set "
         "'output.formats=[fits, csv]'");
  const YAML::Node node = load_yaml(text, origin);
  set_key(draft, section, key, node, origin, YAML::Mark::null_mark());
  return section + "." + key;
}

/// The default values, by the paths of their keys.
const std::map<std::string, std::any>& defaults() {
  static const std::map<std::string, std::any> values = [] {
    std::map<std::string, std::any> all;
    Draft<Config> usual;
    usual.for_each_key([&](const Field& field, const Member& member) { all.emplace(field.path(), member.copy()); });
    return all;
  }();
  return values;
}

/// Calls f for every key that has no use (Field::unused is not empty), and then sets the key to its default. Repeats
/// the pass until no key changes, since a default may leave further keys without use.
void put_aside(Draft<Config>& draft, const KeyVisitor& f) {
  for (bool again = true; again;) {
    again = false;
    draft.for_each_key([&](const Field& field, Member& member) {
      if (field.unused.empty()) return;
      f(field, member);
      member.set(defaults().at(field.path()));
      again = true;
    });
  }
}

/// Returns the keys set in a file, less the keys that have no use under the other settings of the file.
std::set<std::string> used_keys(Draft<Config> file) {
  std::set<std::string> used;
  for (const auto& [key, place] : file.set_at) used.insert(key);
  put_aside(file, [&](const Field& field, const Member&) { used.erase(field.path()); });
  return used;
}

/// Returns the settings of options, and the setting that `psf.file` implies: a user who names a file with a PSF gets
/// `psf.method=file`, also if the configuration has `psf.method: fit`.
std::vector<std::string> with_implied(std::vector<std::string> settings) {
  const auto sets = [&](const std::string& key) {
    return std::ranges::any_of(settings, [&](const std::string& setting) {
      return setting.starts_with(key + "=") && setting.size() > key.size() + 1;
    });
  };
  if (sets("psf.file") && !sets("psf.method")) settings.emplace_back("psf.method=file");
  return settings;
}

/// A configuration that was read from a YAML text, together with the configuration that the text extends. A text that
/// is being read begins with the Written of the configuration that it extends, and changes it key by key.
struct Written {
  Draft<Config> draft = Draft<Config>();
  /// as GivenConfig::used_in_file
  std::set<std::string> used = {};
  /// Whether the text has the key `extends`.
  bool names_base = false;
};

/// Paths of the files that are being read, each of which extends the next.
using Chain = std::vector<std::filesystem::path>;

Written read_text(const std::string& text, const Origin& origin, const std::string& without_extends,
                  const Chain& chain);

/// Reads a configuration that is part of the program. Users cannot look up its lines: places are "KEY of NAME".
Written read_own(const std::string& text, const std::string& name) {
  Written own = read_text(text, {name, true}, "none", {});
  for (auto& [key, place] : own.draft.set_at) place = key + " of " + name;
  return own;
}

/// Returns the configuration that `base` names at `place` of the file `file`: none, default, radio, crowd, or a path
/// relative to that file.
Written read_base(const std::string& base, const std::string& place, const std::string& file, Chain chain) {
  if (base == "none") return {};
  if (base == "default") {
    static const Written usual = read_own(default_yaml(), default_name);  // 10 ms, and Python reads it for each dict
    return usual;
  }
  if (base == "radio") return read_own(radio_yaml(), "the configuration radio");
  if (base == "crowd") return read_own(crowd_yaml(), "the configuration crowd");
  constexpr std::size_t most_files = 50;
  const std::string path = std::filesystem::path(file).parent_path() / base;
  std::error_code failure;
  const std::filesystem::path known = std::filesystem::weakly_canonical(path, failure);
  if (std::ranges::count(chain, known) > 0)
    fail(place, "'extends' leads back to " + path + ", so that nothing is first");
  if (chain.size() > most_files) fail(place, "'extends' leads from file to file, through more than 50 of them");
  std::string text;
  try {
    text = read_file(path);
  } catch (const Error& error) {
    const std::string near = nearest(base, {"none", "default", "radio", "crowd"});
    fail(place, "'extends' is default, none, radio, crowd, or a file, and " + std::string(error.what()) +
                    (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  chain.push_back(known);
  Written written = read_text(text, {path, true}, "default", chain);
  written.draft.result.extended.push_back(path);
  return written;
}

/// Reads a text and what it extends; `without_extends` is the value of its key `extends` if it has none.
Written read_text(const std::string& text, const Origin& origin, const std::string& without_extends,
                  const Chain& chain) {
  std::string base = without_extends, place = origin.name;
  bool names_base = false;
  std::vector<std::pair<YAML::Node, YAML::Node>> sections;
  for_each_section(text, config_keys(), origin, [&](const YAML::Node& name, const YAML::Node& node) {
    if (name.Scalar() != "extends") return sections.emplace_back(name, node), void();
    const Value value = to_value(node, origin, name.Mark());
    place = value.place;
    read_path(value, "extends", base);
    if (base.empty()) fail(place, "'extends' is empty; write default, none, radio, crowd, or the path of a file");
    names_base = true;
  });
  Written all = read_base(base, place, origin.name, chain);
  all.names_base = names_base;
  const SetAt inherited = std::exchange(all.draft.set_at, {});
  for (const auto& [name, node] : sections) {
    if (nearest(name.Scalar(), {"extends"}) == "extends")
      fail(origin.at(name.Mark()), "unknown section " + quoted(name.Scalar()) + "; did you mean 'extends'?");
    read_section(all.draft, config_keys(), name.Scalar(), name.Mark(), node, origin);
  }
  const SetAt own = all.draft.set_at;
  // A file that names a PSF file gets `psf.method: file`, also if the configuration that it extends has `fit`.
  if (own.contains("psf.file") && !own.contains("psf.method")) all.draft.result.psf.method = PsfMethod::file;
  for (const auto& [key, of_base] : inherited)
    if (!own.contains(key.substr(0, key.find('[')))) all.draft.set_at.emplace(key, of_base);
  for (const auto& [key, of_own] : own) all.used.erase(key);
  all.used.merge(used_keys(all.draft));
  return all;
}

/// The warning for a text without the key `extends`: what the default configuration, which it extends then, makes
/// different from the text alone. Empty if that is nothing.
std::string note_of(const std::string& name, Written alone, Written extended) {
  for (Draft<Config>* draft : {&alone.draft, &extended.draft}) put_aside(*draft, [](const Field&, const Member&) {});
  const std::map<std::string, std::string> before = texts_of(alone.draft.result);
  std::vector<std::string> changed;
  for (const auto& [key, text] : texts_of(extended.draft.result))
    if (text != before.at(key)) changed.push_back(key + " " + text + " (not " + before.at(key) + ")");
  if (changed.empty()) return "";
  return name + ": it has no key 'extends', so it changes the default configuration and no longer stands alone: " +
         join(changed) + ". Write 'extends: default' to keep that, or 'extends: none' for what it did before";
}

/// Returns the configuration if every value is within its limits; else throws Error{config}. An error message about a
/// key that was not set begins with the place of another key of its section, or with `name` if none was set.
GivenConfig finished(Draft<Config> draft, std::set<std::string> used_in_file, const std::string& name) {
  GivenConfig given;
  draft.result.set_at = draft.set_at;
  given.written = draft.result;
  given.used_in_file = std::move(used_in_file);
  std::set<std::string> without_use;  // under the settings as they were given
  draft.for_each_key([&](const Field& field, const Member&) {
    if (!field.unused.empty()) without_use.insert(field.path());
  });
  std::map<std::string, std::string> cause;  // by section: why the key was put aside that others of it need
  put_aside(draft, [&](const Field& field, const Member& member) {
    const auto found = draft.set_at.find(field.path());
    const std::string& place = found == draft.set_at.end() ? name : found->second;
    check_limit(field, member, place);
    if (given.used_in_file.contains(field.path())) return;
    std::string message = place + ": '" + field.path() + "' " + field.unused;
    if (without_use.contains(field.path()))
      cause.emplace(field.section.name, message);
    else if (const auto first = cause.find(field.section.name); first != cause.end())
      message = first->second;
    given.unused.emplace(field.path(), std::move(message));
  });
  check_limits(draft, name);
  given.config = std::move(draft.result);
  return given;
}

/// Returns the configuration `written`, changed by options.
Written with(Written written, const Overrides& overrides) {
  for (const std::string& setting : with_implied(overrides.settings))
    written.used.erase(apply_override(written.draft, setting, overrides.option));
  return written;
}

/// The chain that begins with the file of this name, if it is one.
Chain chain_of(const std::string& name) {
  std::error_code failure;
  return {std::filesystem::weakly_canonical(name, failure)};
}

GivenConfig overridden(Written written, const Overrides& overrides, const std::string& name) {
  written = with(std::move(written), overrides);
  return finished(std::move(written.draft), std::move(written.used), name);
}

}  // namespace

Config parse_config(const std::string& yaml, const std::string& name, const std::vector<std::string>& overrides) {
  GivenConfig given = overridden(read_text(yaml, {name, true}, "none", chain_of(name)), set_overrides(overrides), name);
  require_use({given.unused});
  return std::move(given.config);
}

Overrides set_overrides(const std::vector<std::string>& settings) {
  return {"--set", settings};
}

GivenConfig parse_given(const std::string& yaml, const std::string& name, const Overrides& overrides) {
  const Written written = read_text(yaml, {name, true}, "default", chain_of(name));
  if (written.names_base) return overridden(written, overrides, name);
  const Written alone = read_text(yaml, {name, true}, "none", chain_of(name));
  GivenConfig given;
  try {
    given = overridden(written, overrides, name);
  } catch (const Error& error) {
    try {
      overridden(alone, overrides, name);
    } catch (const Error&) {
      throw error;
    }
    throw Error(ErrorKind::config, std::string(error.what()) + ". " + name +
                                       " has no key 'extends', so it changes the default configuration; write "
                                       "'extends: none' if it is to stand alone, as before");
  }
  given.note = note_of(name, with(alone, overrides), with(written, overrides));
  return given;
}

bool is_own_configuration(const std::string& path) {
  std::error_code failure;
  const std::filesystem::file_status there = std::filesystem::status(path, failure);
  return (path == "radio" || path == "crowd") && (!std::filesystem::exists(there) || is_directory(there));
}

GivenConfig load_given(const std::string& path, const Overrides& overrides) {
  if (!path.empty() && !is_own_configuration(path)) return parse_given(read_file(path), path, overrides);
  return overridden(read_base(path.empty() ? "default" : path, "", "", {}), overrides,
                    path.empty() ? default_name : path);
}

GivenConfig override_given(const GivenConfig& given, const std::string& path, const Overrides& overrides) {
  const std::string& name = path.empty() ? default_name : path;
  Draft<Config> draft{given.written, given.written.set_at};
  std::set<std::string> own, used = given.used_in_file;
  for (const std::string& setting : with_implied(overrides.settings))
    own.insert(apply_override(draft, setting, overrides.option));
  for (const std::string& key : own) used.erase(key);
  GivenConfig result = finished(std::move(draft), std::move(used), name);
  for (const std::string& key : own)
    if (const auto found = result.unused.find(key); found != result.unused.end())
      throw Error(ErrorKind::config, found->second);
  return result;
}

void require_use(const std::vector<UnusedKeys>& of_all) {
  if (of_all.empty()) return;
  for (const auto& one : of_all.front())
    if (std::ranges::all_of(of_all, [&](const UnusedKeys& unused) { return unused.contains(one.first); }))
      throw Error(ErrorKind::config, one.second);
}

const Fields& config_keys() {
  static const Fields keys = Draft<Config>().fields();
  return keys;
}

void require_key(const std::string& section, const std::string& key, const std::string& place) {
  check_section(config_keys(), section, place);
  check_key(config_keys(), section, key, place);
}

std::vector<NamedFile> named_files(const Config& config) {
  std::vector<NamedFile> files;
  Draft(config).for_each_key([&](const Field& field, const Member& member) { member.add_files(field, files); });
  return files;
}

std::map<std::string, std::string> texts_of(const Config& config) {
  std::map<std::string, std::string> texts;
  Draft(config).for_each_key(
      [&](const Field& field, const Member& member) { texts.emplace(field.path(), member.text()); });
  return texts;
}

std::string commented_config(const Config& config) {
  const std::map<std::string, std::string> texts = texts_of(config);
  std::string whole = "extends: none\n", section;
  std::istringstream lines(default_yaml());
  for (std::string line; std::getline(lines, line);) {
    const bool is_key = line.size() > 2 && line.starts_with("  ") && line[2] != '#';
    const bool is_section = !line.empty() && line[0] != '#' && line[0] != ' ';
    if (is_section) section = line.substr(0, line.find(':')) + ".";
    if (is_key) line = line.substr(0, line.find(':'));
    if (is_key) line += ": " + texts.at(section + line.substr(2));
    if (!section.empty() || line.empty()) whole += line + "\n";
  }
  return whole;
}

std::string dump_config(const Config& config) {
  Draft draft(config);
  return dump_sections(draft);
}

}  // namespace srcextract
