// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>

#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec {
namespace {

/// A character of UTF-8, or one byte that belongs to no valid character.
struct Character {
  std::size_t bytes = 1;
  std::uint32_t code = 0;
  bool valid = false;
};

/// Returns the number of bytes of a character by its first byte, which is not ASCII.
std::size_t bytes_by(unsigned char lead) {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

/// Decodes the first character of `text`, which must not be empty. Overlong forms, surrogates and codes above 10FFFF
/// are invalid.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {1, lead, true};
  const std::size_t bytes = bytes_by(lead);
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {1, lead, false};
  std::uint32_t code = lead & (0x7f >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {1, lead, false};
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool valid = code >= least[bytes] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  if (!valid) return {1, lead, false};
  return {bytes, code, true};
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

/// Returns whether a character separates lines or paragraphs, or marks, embeds, overrides or isolates the writing
/// direction.
bool misleads(std::uint32_t code) {
  const bool marks = code == 0x061c || code == 0x200e || code == 0x200f;
  return marks || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/// Returns "\xNN", or "\uNNNN" for a valid character above FF.
std::string escape(const Character& character) {
  std::string digits = character.valid && character.code > 0xff ? hex(character.code, 4) : hex(character.code, 2);
  for (char& digit : digits)
    if (digit >= 'a') digit = char(digit - 'a' + 'A');
  return (character.valid && character.code > 0xff ? "\\u" : "\\x") + digits;
}

/// Escapes invalid bytes, control characters and misleading characters of `text`, except those in `kept`.
std::string escaped(std::string_view text, std::string_view kept) {
  std::string shown;
  while (!text.empty()) {
    const Character character = first_of(text);
    const bool is_shown = !is_control(character.code) && !misleads(character.code);
    if (character.valid && (is_shown || kept.find(text.substr(0, character.bytes)) != std::string_view::npos))
      shown.append(text, 0, character.bytes);
    else
      shown += escape(character);
    text.remove_prefix(character.bytes);
  }
  return shown;
}

}  // namespace

bool is_utf8(std::string_view text) {
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  std::uint64_t word = 0;
  while (text.size() >= sizeof word) {
    std::memcpy(&word, text.data(), sizeof word);
    if ((word & high_bits) != 0) break;
    text.remove_prefix(sizeof word);
  }
  while (!text.empty()) {
    const Character character = first_of(text);
    if (!character.valid) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

std::string printable(std::string_view text) { return escaped(text, "\n\t"); }

std::string printable_line(std::string_view text) { return escaped(text, ""); }

std::string shown(std::string_view text, std::size_t longest) {
  std::string out = "\"";
  for (std::size_t n = 0; !text.empty(); ++n) {
    if (n == longest) return out + "...\"";
    const Character character = first_of(text);
    if (const std::size_t at = std::string_view("\t\n\r").find(text[0]); at != std::string_view::npos)
      out += std::string("\\") + "tnr"[at];
    else
      out += escaped(text.substr(0, character.bytes), "");
    text.remove_prefix(character.bytes);
  }
  return out + "\"";
}

std::string path_fault(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Character character = first_of(text.substr(at));
    if (!character.valid) return concat("its byte ", at, " (", escape(character), ") is not UTF-8");
    if (is_control(character.code)) return concat("its byte ", at, " is the control character ", escape(character));
    if (misleads(character.code)) return concat("its byte ", at, " begins the invisible character ", escape(character));
    at += character.bytes;
  }
  return "";
}

std::string name_fault(std::string_view text) {
  if (text.empty()) return "it is empty";
  if (text == "." || text == "..") return "it names a folder";
  if (text.size() > 200) return concat("it has ", text.size(), " bytes, more than 200");
  if (text.find('/') != std::string_view::npos) return "it contains '/'";
  return path_fault(text);
}

}  // namespace tesserec
