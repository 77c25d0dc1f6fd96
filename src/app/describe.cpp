// SPDX-License-Identifier: Apache-2.0
// tesserec describe: every key of a deck.
#include "command.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/deck/schema.hpp>

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

}  // namespace

int describe(const Invocation& invocation, const comm::Communicator& comm) {
  if (invocation.json && invocation.has("--markdown")) fail("--json and --markdown are both given; keep one");
  if (invocation.json)
    print(comm, schema_json());
  else
    print(comm, invocation.has("--markdown") ? deck::describe_markdown() : deck::describe_text());
  return 0;
}

}  // namespace tesserec::app
