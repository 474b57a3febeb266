// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "report/pack.h"
#include "report/page_text.h"
#include "report/report.h"

namespace orthodict::report {
namespace {

// Escapes text for use between tags or in a quoted attribute.
std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// JSON without '<', so that no tag can begin in it. Only strings can contain '<', where it may be escaped.
std::string escape_json(const Json& json) {
  std::string escaped;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      escaped += "\\u003c";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// The source expression of a content security policy, "'sha256-…'", from a hexadecimal digest.
std::string source_of(std::string_view digest) {
  std::vector<std::uint8_t> bytes(digest.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::from_chars(digest.data() + 2 * i, digest.data() + 2 * i + 2, bytes[i], 16);
  }
  return "'sha256-" + base64(bytes) + "'";
}

// Replaces each {{name}} in the template. Inserted values aren't searched again.
std::string fill(std::string_view page, const std::map<std::string_view, std::string>& values) {
  std::string filled;
  for (;;) {
    const std::size_t open = page.find("{{");
    filled += page.substr(0, open);
    if (open == std::string_view::npos) return filled;
    const std::size_t close = page.find("}}", open);
    filled += values.at(page.substr(open + 2, close - open - 2));
    page.remove_prefix(close + 2);
  }
}

}  // namespace

void require_page() {}

std::string render_page(const Json& report) {
  // Replaces invalid UTF-8 in the title, as in the data.
  const Json title = Json::parse(report.at("title").dump(-1, ' ', false, Json::error_handler_t::replace));
  const std::string policy = "default-src 'none'; script-src " + source_of(page_text::script_digest()) +
                             "; style-src " + source_of(page_text::style_digest()) +
                             "; base-uri 'none'; form-action 'none'";
  return fill(page_text::html(), {{"policy", policy},
                                  {"title", escape_html(title.get<std::string>())},
                                  {"style", std::string(page_text::style())},
                                  {"script", std::string(page_text::script())},
                                  {"data", escape_json(report)}});
}

}  // namespace orthodict::report
