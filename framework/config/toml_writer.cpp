#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>

#include <harmonium/framework/config/toml.hpp>
#include <harmonium/framework/core/utf8.hpp>

namespace harmonium {
inline namespace v1 {
namespace {

std::string written_string(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length != 1) {
      out += length == 0 ? "\\uFFFD" : text.substr(i, length);
      i += std::max<std::size_t>(length, 1);
      continue;
    }
    const char c = text[i++];
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\t': out += "\\t"; break;
      case '\n': out += "\\n"; break;
      case '\f': out += "\\f"; break;
      case '\r': out += "\\r"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) out += c;
        else out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    }
  }
  return out + '"';
}

std::string written_key(std::string_view key) {
  const auto bare = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !key.empty() && std::all_of(key.begin(), key.end(), bare) ? std::string(key) : written_string(key);
}

std::string written_number(double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", v);
  // Without a point or an exponent it would be read as an integer.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

bool is_list_of_tables(const Value& value) {
  const Value::List* list = std::get_if<Value::List>(&value.data);
  return list != nullptr && !list->empty() &&
         std::all_of(list->begin(), list->end(), [](const Value& v) { return v.is_table(); });
}

bool has_section(const Value& value) { return value.is_table() || is_list_of_tables(value); }

/// Writes a document, a table at a time.
class DocumentWriter {
 public:
  explicit DocumentWriter(const Remarks& remarks) : remarks_(remarks) {}

  /// The plain entries of a table and then its sections; its own header is written already. `path` leads to it as a
  /// header has it, `named` as a remark is asked for.
  void write_body(const std::string& path, const std::string& named, const Value::Table& table) {
    const auto below = [](const std::string& above, const std::string& key) {
      return above.empty() ? key : above + '.' + key;
    };
    for (const auto& [key, value] : table) {
      if (value.is_empty() || has_section(value)) continue;
      remark(below(named, key));
      out_ += fmt::format("{} = {}\n", written_key(key), write_toml_value(value));
    }
    for (const auto& [key, value] : table) {
      if (!has_section(value)) continue;
      const std::string inner = below(path, written_key(key)), name = below(named, key);
      if (const auto* section = std::get_if<Value::Table>(&value.data)) {
        write_section(inner, name, *section);
        continue;
      }
      const auto& items = std::get<Value::List>(value.data);
      for (std::size_t i = 0; i < items.size(); ++i) {
        const std::string item = fmt::format("{}[{}]", name, i);
        write_header("[[", inner, "]]", item);
        write_body(inner, item, std::get<Value::Table>(items[i].data));
      }
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void write_section(const std::string& path, const std::string& named, const Value::Table& table) {
    const auto implies = [](const auto& entry) { return has_section(entry.second); };
    // The sections inside imply one that holds nothing else.
    if (table.empty() || !std::all_of(table.begin(), table.end(), implies)) write_header("[", path, "]", named);
    write_body(path, named, table);
  }

  void write_header(std::string_view open, const std::string& path, std::string_view close, const std::string& named) {
    if (!out_.empty()) out_ += '\n';
    remark(named);
    out_ += fmt::format("{}{}{}\n", open, path, close);
  }

  void remark(const std::string& named) {
    if (remarks_) out_ += toml_comment(remarks_(named));
  }

  const Remarks& remarks_;
  std::string out_;
};

}  // namespace

std::string write_toml(const Value& table, const Remarks& remarks) {
  if (table.is_empty()) return {};
  const auto* entries = std::get_if<Value::Table>(&table.data);
  if (entries == nullptr) throw std::invalid_argument("write_toml: a TOML document is a table");
  DocumentWriter writer(remarks);
  writer.write_body("", "", *entries);
  return writer.take();
}

std::string toml_comment(std::string_view text) {
  constexpr std::size_t width = 118;  // of the text
  std::string out;
  while (!text.empty()) {
    std::size_t length = std::min(text.find('\n'), text.size());
    if (length > width) {
      const std::size_t blank = text.rfind(' ', width);
      length = blank != std::string::npos && blank > 0 ? blank : std::min(text.find(' '), length);
    }
    out += length == 0 ? std::string("#\n") : fmt::format("# {}\n", text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return out;
}

std::string write_toml_value(const Value& value) {
  struct Writer {
    std::string operator()(std::monostate) const {
      throw std::invalid_argument("write_toml: TOML cannot hold an empty value");
    }
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }
    std::string operator()(double v) const { return written_number(v); }
    std::string operator()(const std::string& v) const { return written_string(v); }
    std::string operator()(const Value::List& list) const {
      std::string out = "[";
      for (const Value& item : list) {
        if (out.size() > 1) out += ", ";
        out += write_toml_value(item);
      }
      return out + ']';
    }
    std::string operator()(const Value::Table& table) const {
      std::string out = "{";
      for (const auto& [key, item] : table) {
        if (item.is_empty()) continue;
        out += fmt::format("{}{} = {}", out.size() > 1 ? ", " : "", written_key(key), write_toml_value(item));
      }
      return out + '}';
    }
  };
  return std::visit(Writer{}, value.data);
}

}  // namespace v1
}  // namespace harmonium
