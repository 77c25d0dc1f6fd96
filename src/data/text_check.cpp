// SPDX-License-Identifier: Apache-2.0
#include "text_check.hpp"

#include <tesserec/core/text.hpp>

namespace tesserec::data {
namespace {

using std::string_view_literals::operator""sv;

struct Format {
  std::size_t at;
  std::string_view magic;
  const char* what;
  const char* remedy;
};

constexpr const char* unpack = "unpack it, or pack it with gzip";
constexpr const char* write_text = "write it as delimited text";

constexpr Format formats[] = {
    {0, "PK\x03\x04"sv, "a zip archive (or a spreadsheet)", "unpack it, or save the sheet as CSV in UTF-8"},
    {0,
     "\xFD"
     "7zXZ\0"sv,
     "compressed by xz", unpack},
    {0, "BZh"sv, "compressed by bzip2", unpack},
    {0, "\x28\xB5\x2F\xFD"sv, "compressed by zstd", unpack},
    {0, "\x04\x22\x4D\x18"sv, "compressed by lz4", unpack},
    {0, "7z\xBC\xAF\x27\x1C"sv, "a 7z archive", unpack},
    {0, "Rar!\x1A\x07"sv, "a rar archive", unpack},
    {257, "ustar"sv, "a tar archive", "unpack it and give the files in it"},
    {0, "\x1F\x8B"sv, "packed with gzip twice", "unpack it once"},
    {0, "PAR1"sv, "a Parquet file", write_text},
    {0, "ARROW1"sv, "an Arrow file", write_text},
    {0, "ORC"sv, "an ORC file", write_text},
    {0, "Obj\x01"sv, "an Avro file", write_text},
    {0, "\x89HDF\r\n\x1A\n"sv, "an HDF5 file",
     "data sets in HDF5 need no preprocessing: give it in data.train or data.evaluate"},
};

}  // namespace

std::string why_not_text(std::string_view beginning) {
  for (const Format& format : formats)
    if (beginning.size() >= format.at && beginning.substr(format.at).starts_with(format.magic))
      return concat("it is ", format.what, ", not text; ", format.remedy);
  constexpr const char* convert = " text, not UTF-8; convert it, e.g. with `iconv -f ";
  if (beginning.starts_with("\xFF\xFE\0\0"sv) || beginning.starts_with("\0\0\xFE\xFF"sv))
    return concat("it is UTF-32", convert, "UTF-32 -t UTF-8`");
  if (beginning.starts_with("\xFF\xFE"sv) || beginning.starts_with("\xFE\xFF"sv))
    return concat("it is UTF-16", convert, "UTF-16 -t UTF-8`");
  const std::size_t zero = beginning.find('\0');
  if (zero == 1 && beginning.size() > 3 && beginning[3] == '\0')
    return concat("it is UTF-16", convert, "UTF-16LE -t UTF-8`");
  if (zero == 0 && beginning.size() > 2 && beginning[2] == '\0' && beginning[1] != '\0')
    return concat("it is UTF-16", convert, "UTF-16BE -t UTF-8`");
  if (beginning.find('\r') != std::string_view::npos && beginning.find('\n') == std::string_view::npos)
    return "its lines end in carriage returns (\\r) alone; make line feeds of them, e.g. with `tr '\\r' '\\n'`";
  return "";
}

}  // namespace tesserec::data
