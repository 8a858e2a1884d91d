#pragma once

#include <yaml-cpp/yaml.h>

#include <any>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/values.hpp"
#include "stages/core/decimal.hpp"

namespace srcextract::config {

// Reading and writing of sections of keys in YAML, for every struct for which for_each_field is defined.

/// The source of a YAML text: a file, whose lines and columns messages name, or one setting of a command line option.
struct Origin {
  std::string name;
  bool has_lines;

  /// Returns a place for messages: "name:line:column", or the name alone if the source has no lines.
  std::string at(const YAML::Mark& mark) const;
  /// Returns the place of a value; if the value is empty, the place of its key.
  std::string at(const YAML::Node& value, const YAML::Mark& key) const;
};

/// Parses a YAML text that holds at most one document; the node is null if the text is empty. Throws Error{config} if
/// the text is no valid YAML, or larger than 1 MiB.
YAML::Node load_yaml(const std::string& text, const Origin& origin);

/// Converts a node to a Value. `levels` is the depth of nested lists to convert; deeper lists stay empty, since no key
/// has them. `key` is the position of the node's key. Throws Error{config} if the node has a tag.
Value to_value(const YAML::Node& node, const Origin& origin, const YAML::Mark& key, int levels = 2);

/// Receives the key and the value of an entry of a map.
using EntryVisitor = std::function<void(const YAML::Node& key, const YAML::Node& value)>;

/// Calls f for each entry of a map, in order. Throws Error{config} at a key that is no scalar, and at a duplicate key,
/// since yaml-cpp keeps both entries. `in` is appended to the message "duplicate key x", as " in 'match'".
void for_each_entry(const YAML::Node& map, const Origin& origin, const std::string& in, const EntryVisitor& f);

/// Calls f(name of the section, its keys) for each section of a YAML text, in order; f must check both. Throws
/// Error{config} if the text is no map of sections; the message lists the sections of the valid keys `known`.
void for_each_section(const std::string& text, const Fields& known, const Origin& origin, const EntryVisitor& f);

/// Throw Error{config}, with `place` in the message, if `section` or `key` is unknown. The message offers the nearest
/// known name, the section that has the key, or all known names.
void check_section(const Fields& fields, const std::string& section, const std::string& place);
void check_key(const Fields& fields, const std::string& section, const std::string& key, const std::string& place);

/// Returns the keys of a section, joined as in "a, b, c".
std::string keys_in(const Fields& fields, const std::string& section);

/// Throws Error{config} if the section at `mark` is no map. `keys` lists the section's keys for the message, as "a, b,
/// c".
void check_section_holds(const YAML::Node& node, const std::string& section, const std::string& keys,
                         const YAML::Mark& mark, const Origin& origin);

/// The place where each key was set, by the key's path `section.key`.
using SetAt = std::map<std::string, std::string>;

/// A value in a YAML text, and the position of its key.
struct WrittenValue {
  const YAML::Node& node;
  const Origin& origin;
  const YAML::Mark& key;

  Value value() const { return to_value(node, origin, key); }
};

/// The member of a struct that holds the value of a key, whatever the member's type is.
class Member {
 public:
  /// Reads the value. Keys inside the value are added to `set_at`. Throws Error{config}.
  virtual void read(const WrittenValue& written, const Field& field, SetAt& set_at) = 0;
  /// Returns the value as YAML, from which read() reads an equal value.
  virtual std::string text() const = 0;
  /// Returns a number or a truth value as double; nullopt for other types.
  virtual std::optional<double> number() const = 0;
  /// Appends the files that the value names.
  virtual void add_files(const Field& field, std::vector<NamedFile>& files) const = 0;
  virtual std::any copy() const = 0;
  /// Sets the value to what copy() returned for the same key.
  virtual void set(const std::any& copy) = 0;

 protected:
  ~Member() = default;
};

/// Receives a key and its value.
using KeyVisitor = std::function<void(const Field& field, Member& member)>;

/// A struct whose keys are being read; keys that were not set hold the values with which the draft began. The functions
/// below take any struct, so that only Draft::for_each_key is compiled for each.
class AnyDraft {
 public:
  SetAt set_at;

  /// Calls f for each key. The facts in `field` follow from the values at the time of the call.
  virtual void for_each_key(const KeyVisitor& f) = 0;
  /// Returns all keys.
  Fields fields();

 protected:
  explicit AnyDraft(SetAt places) : set_at(std::move(places)) {}
  AnyDraft(const AnyDraft&) = default;
  AnyDraft(AnyDraft&&) = default;
  AnyDraft& operator=(const AnyDraft&) = default;
  AnyDraft& operator=(AnyDraft&&) = default;
  ~AnyDraft() = default;
};

/// Throws Error{config}, with `place` in the message, if a number is outside the limits of its field.
void check_limit(const Field& field, const Member& member, const std::string& place);

/// Throws Error{config} if a number is outside the limits of its field, a value has a problem, or a key without use was
/// set. If no key of a section was set, messages about that section begin with `name`.
void check_limits(AnyDraft& draft, const std::string& name);

/// Sets one key to the value `node`; `mark` is the position of the key.
void set_key(AnyDraft& draft, const std::string& section, const std::string& key, const YAML::Node& node,
             const Origin& origin, const YAML::Mark& mark);

/// Reads the keys of the section `section`, which begins at `mark`. `known` are the valid keys of all sections.
void read_section(AnyDraft& draft, const Fields& known, const std::string& section, const YAML::Mark& mark,
                  const YAML::Node& node, const Origin& origin);

/// Returns all sections as YAML, with every key. read_section() reads equal values from the text.
std::string dump_sections(AnyDraft& draft);

/// Throws Error{config} unless the value is a list of maps. `known` are the keys that the message offers.
void require_records(const WrittenValue& written, const std::string& name, const Fields& known);

/// Reads a text: the name of a column, a number, a path, or a FITS name, as `field` says.
void read_text(const WrittenValue& written, const Field& field, std::string& text);
/// Reads a list of texts: of paths, or of FITS names, as `field` says.
void read_texts(const WrittenValue& written, const Field& field, std::vector<std::string>& texts);
/// Reads a map from column names to other names.
void read_names(const WrittenValue& written, const Field& field, std::map<std::string, std::string>& names);

template <class T>
class Draft;

/// Reads a list of maps into `records`, one record for each map. Adds the place of each key to `set_at`, under paths
/// such as "flags.further[1].hdu", with an index from 1.
template <class Record>
void read_records(const WrittenValue& written, const Field& field, std::vector<Record>& records, SetAt& set_at) {
  const std::string name = field.path();
  const Fields known = Draft<Record>().fields();
  require_records(written, name, known);
  std::erase_if(set_at, [&](const auto& entry) { return entry.first.starts_with(name + "["); });
  records.clear();
  for (const YAML::Node& item : written.node) {
    Draft<Record> draft;
    read_section(draft, known, name, item.Mark(), item, written.origin);
    check_limits(draft, written.origin.at(item.Mark()));
    records.push_back(std::move(draft.result));
    for (const auto& [path, place] : draft.set_at)
      set_at[name + "[" + std::to_string(records.size()) + "]" + path.substr(name.size())] = place;
  }
}

template <class T>
class MemberOf final : public Member {
 public:
  explicit MemberOf(T& value) : value_(value) {}

  void read(const WrittenValue& written, const Field& field, SetAt& set_at) override {
    if constexpr (is_list_of_records<T>)
      read_records(written, field, value_, set_at);
    else if constexpr (std::is_same_v<T, std::string>)
      read_text(written, field, value_);
    else if constexpr (std::is_same_v<T, std::vector<std::string>>)
      read_texts(written, field, value_);
    else if constexpr (std::is_same_v<T, std::map<std::string, std::string>>)
      read_names(written, field, value_);
    else
      read_value(written.value(), field.path(), value_);
  }
  std::string text() const override { return format_value(value_); }
  std::optional<double> number() const override {
    if constexpr (std::is_arithmetic_v<T>) return static_cast<double>(value_);
    return std::nullopt;
  }
  void add_files(const Field& field, std::vector<NamedFile>& files) const override {
    if constexpr (is_list_of_records<T>) {
      for (const auto& item : value_)
        Draft(item).for_each_key([&](const Field& key, Member& member) { member.add_files(key, files); });
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (field.is_path && !value_.empty() && !(field.is_number && given_number(value_)))
        files.push_back({field, value_});
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      if (field.is_path)
        for (const std::string& path : value_) files.push_back({field, path});
    }
  }
  std::any copy() const override { return value_; }
  void set(const std::any& copy) override { value_ = std::any_cast<const T&>(copy); }

 private:
  T& value_;
};

/// A T whose keys are being read.
template <class T>
class Draft final : public AnyDraft {
 public:
  explicit Draft(T start = {}, SetAt places = {}) : AnyDraft(std::move(places)), result(std::move(start)) {}

  T result;

  void for_each_key(const KeyVisitor& f) override {
    for_each_field(result, [&]<class Some>(const Field& field, Some& value) {
      MemberOf<Some> member(value);
      f(field, member);
    });
  }
};

}  // namespace srcextract::config
