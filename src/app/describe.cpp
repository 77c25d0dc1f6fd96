// SPDX-License-Identifier: Apache-2.0
// Command `tesserec describe`: prints the keys of a deck as text, Markdown, JSON, manual pages or shell completion.
#include "help.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/deck/schema.hpp>
#include <tesserec/store/disk.hpp>

namespace tesserec::app {
namespace {

Json schema_json() {
  Json blocks = Json::array();
  for (const deck::BlockInfo& block : deck::schema()) {
    Json keys = Json::array();
    for (const deck::KeyInfo& key : block.keys)
      keys.add(Json::object()
                   .set("name", key.name)
                   .set("type", key.type)
                   .set("default", key.default_value)
                   .set("range", key.range)
                   .set("unit", key.unit)
                   .set("help", key.sentence));
    blocks.add(Json::object()
                   .set("path", block.path)
                   .set("heading", block.heading)
                   .set("help", block.sentence)
                   .set("keys", keys));
  }
  return Json::object().set("blocks", blocks);
}

void write_man_pages(const std::string& folder) {
  for (const auto& [name, text] : man_pages()) {
    const std::string path = folder + "/" + name;
    store::make_output_folder_of(path, "--man");
    store::write_verified(path, text);
  }
}

}  // namespace

int describe(const Invocation& invocation, const comm::Communicator& comm) {
  std::vector<std::string> forms;
  if (invocation.json) forms.push_back("--json");
  for (const auto& [option, value] : invocation.options) forms.push_back(option);
  if (forms.size() > 1) fail(join(forms, " and "), " are both given; keep one");

  if (invocation.json) {
    print(comm, schema_json());
  } else if (invocation.has("--man")) {
    if (comm.rank() == 0) write_man_pages(invocation.options.at("--man"));
  } else if (invocation.has("--completion")) {
    print(comm, completion(invocation.options.at("--completion")));
  } else {
    print(comm, invocation.has("--markdown") ? deck::describe_markdown() : deck::describe_text());
  }
  return 0;
}

}  // namespace tesserec::app
