// SPDX-License-Identifier: Apache-2.0
#include "expand_columns.hpp"

#include <string>
#include <vector>

#include "line_reader.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parquet/reader.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/header.hpp>

namespace tesserec::preprocess {

void expand_columns(const comm::Communicator& comm, const RawFile& file, Settings& settings) {
  if (settings.format != RawFormat::table || !has_pattern(settings.columns)) return;
  if (!settings.header)
    fail("preprocess.column: '*' in a name requires a header; set preprocess.header = true, or name each column");
  comm::agree(comm, [&] {
    if (file.parquet) {
      settings.columns = expanded(settings.columns, parquet::shape_of(file.path).columns, file.path);
      return;
    }
    const TextRules rules = text_rules(settings);
    const HeaderLine header = header_line(file, rules);
    const std::string where = concat(file.path, ":", header.line);
    std::vector<std::string> names;
    if (const std::string reason = header_names(header.text, rules, names); !reason.empty()) fail(where, ": ", reason);
    settings.columns = expanded(settings.columns, names, where);
  });
}

}  // namespace tesserec::preprocess
