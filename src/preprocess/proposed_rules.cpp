// SPDX-License-Identifier: Apache-2.0
// Delimiters, quotes and comments of all files of a deck that is proposed.
#include <algorithm>
#include <string>
#include <vector>

#include "proposal.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::preprocess {
namespace {

/// Returns the head with whose delimiter a file must agree: that of its side table, or that of the log, if it is text.
const HeadSample& leader_of(const Proposal& proposal, const HeadSample& head) {
  for (const ProposedJoin& join : proposal.joins)
    if (join.head == &head || std::find(join.parts.begin(), join.parts.end(), head.file.path) != join.parts.end())
      return *join.head;
  for (const HeadSample& other : proposal.heads)
    if (!other.file.parquet && !proposal.is_side(other)) return other;
  return head;
}

void require_delimiter(const Proposal& proposal, const HeadSample& head) {
  const HeadSample& leader = leader_of(proposal, head);
  if (leader.file.parquet || leader.rules.delimiter == head.rules.delimiter) return;
  fail(head.file.path, ": its delimiter is ", shown({&head.rules.delimiter, 1}), ", but that of ", leader.file.path,
       " is ", shown({&leader.rules.delimiter, 1}),
       ", and a deck has one for all files but side tables; write one of the two with the delimiter of the other");
}

/// Throws Error if a side table has rows that cannot be read, since no row of it is left out.
void require_whole(const HeadSample& side) {
  if (side.others == 0) return;
  fail(side.file.path, ":", side.first_other, ": the row has not the ", side.names.size(),
       " fields of the others, or its quotes do not fit (", counted(side.others, "such row"), " of the first ",
       side.rows + side.others, "), but no row of a side table is left out; correct the file");
}

bool are_same(const TextRules& a, const TextRules& b) {
  return a.quotes == b.quotes && a.quoted_newlines == b.quoted_newlines && a.comment == b.comment;
}

/// Files that need a rule, first ones only, and the reasons.
struct Needs {
  std::string quotes, newlines, comment;

  void add(const HeadSample& head, HeadSample& log) {
    const auto need = [&](bool needs, std::string& path, std::string HeadSample::*why) {
      if (!needs || !path.empty()) return;
      path = head.file.path;
      if (&head != &log) log.*why = concat(head.file.path, ": ", head.*why);
    };
    need(!head.rules.quotes, quotes, &HeadSample::quotes_reason);
    need(head.rules.quoted_newlines, newlines, &HeadSample::newlines_reason);
    need(!head.rules.comment.empty(), comment, &HeadSample::comment_reason);
  }
  std::string text() const {
    std::vector<std::string> keys;
    if (!quotes.empty()) keys.push_back("quotes = false, which " + quotes + " needs");
    if (!newlines.empty()) keys.push_back("quoted_newlines = true, which " + newlines + " needs");
    if (!comment.empty()) keys.push_back("comment = \"#\", which " + comment + " needs");
    return join(keys, ", and ");
  }
};

}  // namespace

void share_rules(Proposal& proposal) {
  HeadSample& log = proposal.heads.front();
  Needs needs;
  bool any_text = !log.file.parquet;
  for (const HeadSample& head : proposal.heads) {
    if (head.file.parquet) continue;
    require_delimiter(proposal, head);
    if (proposal.is_side(head)) require_whole(head);
    needs.add(head, log);
    if (any_text || proposal.is_side(head)) continue;
    any_text = true;
    log.rules.delimiter = head.rules.delimiter;
    log.delimiter_reason = concat(head.file.path, ": ", head.delimiter_reason);
  }
  TextRules shared = log.rules;
  shared.quotes = needs.quotes.empty();
  shared.quoted_newlines = !needs.newlines.empty();
  if (!needs.comment.empty()) shared.comment = "#";
  for (const HeadSample& head : proposal.heads) {
    if (head.file.parquet || proposal.criteo || are_same(head.rules, shared)) continue;
    shared.delimiter = head.rules.delimiter;
    if (!reads_alike(head, shared))
      fail(head.file.path, ": its rows read otherwise with ", needs.text(),
           ", and a deck has one rule for all files; write the files with the same quotes and comments");
  }
  shared.delimiter = log.rules.delimiter;
  log.rules = shared;
}

}  // namespace tesserec::preprocess
