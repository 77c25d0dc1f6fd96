// SPDX-License-Identifier: Apache-2.0
// Service: a model of two labels has an output for each, in the log of scores too.
#include <cstring>
#include <fstream>
#include <optional>

#include "requests.hpp"
#include "scoring/two_labels.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/serve/replay.hpp>
#include <tesserec/serve/service.hpp>

using namespace tesserec;

namespace {

std::vector<float> numbers_of(const Json& output) {
  std::vector<float> numbers;
  for (const Json& number : output.at("data").elements()) numbers.push_back(float(number.number()));
  return numbers;
}

}  // namespace

TEST_CASE("Service: a model of two labels gives an output for each, all or those that are asked for") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "serve_labels");
  Trained trained(two_label_deck(folder));
  const std::string to = folder.path() + "/model", log = folder.path() + "/scores.jsonl";
  scoring::export_model(trained.exec, trained.checkpoint(), to, scoring::ServedFormat::fp32);
  std::optional<ThreeSamples> three;
  std::vector<float> click, buy;
  trained.each_batch([&](const data::Batch& batch, const std::vector<float>& probabilities) {
    if (three) return;
    three.emplace(batch, probabilities);
    for (std::size_t s = 0; s < 3; ++s) {
      click.push_back(probabilities[2 * s]);
      buy.push_back(probabilities[2 * s + 1]);
    }
  });
  CHECK(click != buy);
  {
    const scoring::ServedModel model(trained.exec, to);
    serve::Service service(model, {.log = log});
    const auto infer = [&](const std::string& more) {
      return service.answer({.method = "POST",
                             .path = "/v2/models/model/infer",
                             .read_body = reader_of(request_of(three->inputs(), more))});
    };
    const auto outputs = [&](const std::string& more) {
      const serve::HttpReply reply = infer(more);
      INFO(reply.body);
      REQUIRE(reply.status == 200);
      return parse_json(reply.body).at("outputs").elements();
    };
    const std::vector<Json> both = outputs("");
    REQUIRE(both.size() == 2);
    CHECK(both[0].at("name").string() == "click");
    CHECK(both[1].at("name").string() == "buy");
    CHECK(numbers_of(both[0]) == click);
    CHECK(numbers_of(both[1]) == buy);
    const std::vector<Json> one = outputs(R"(, "outputs": [{"name": "buy"}])");
    REQUIRE(one.size() == 1);
    CHECK(numbers_of(one[0]) == buy);

    // The purchase as bytes, which stand behind the JSON, before the click as text.
    const serve::HttpReply mixed =
        infer(R"(, "outputs": [{"name": "buy", "parameters": {"binary_data": true}}, {"name": "click"}])");
    REQUIRE(mixed.status == 200);
    const std::size_t json_bytes = std::stoul(mixed.json_bytes);
    REQUIRE(mixed.body.size() == json_bytes + 12);
    CHECK(std::memcmp(mixed.body.data() + json_bytes, buy.data(), 12) == 0);
    const std::vector<Json> described = parse_json(mixed.body.substr(0, json_bytes)).at("outputs").elements();
    CHECK(described.at(0).at("parameters").at("binary_data_size").integer() == 12);
    CHECK(numbers_of(described.at(1)) == click);
    const serve::HttpReply bytes = infer(R"(, "parameters": {"binary_data_output": true})");
    REQUIRE(bytes.body.size() == std::stoul(bytes.json_bytes) + 24);
    CHECK(std::memcmp(bytes.body.data() + std::stoul(bytes.json_bytes) + 12, buy.data(), 12) == 0);

    CHECK(mentions(infer(R"(, "outputs": [{"name": "scores"}])").body,
                   R"(there is no output \"scores\"; the model has \"click\", \"buy\")"));
    CHECK(mentions(infer(R"(, "outputs": [{"name": "buy"}, {"name": "click"}, {"name": "buy"}])").body,
                   R"(the request names output \"buy\" twice)"));
    const Json metadata = parse_json(service.answer({.method = "GET", .path = "/v2/models/model"}).body);
    REQUIRE(metadata.at("outputs").elements().size() == 2);
    CHECK(metadata.at("outputs").elements()[1].text() == R"({"name": "buy", "datatype": "FP32", "shape": [-1]})");
  }

  // The log has both scores of each sample, whatever was asked for.
  const serve::Replayed replayed = serve::replay_scores(trained.exec, log, to);
  CHECK(replayed.requests == 4);
  CHECK(replayed.scores == 24);
  CHECK(replayed.proven());
  std::string text = read_file(log);
  const std::string last = shortest(buy[2]);
  REQUIRE(text.find("\"version\": 2") != std::string::npos);
  const std::size_t place = text.rfind(']');
  const std::size_t comma = text.rfind(',', place);
  text.replace(comma + 1, place - comma - 1, "0.5");
  std::ofstream(log) << text;
  const serve::Replayed changed = serve::replay_scores(trained.exec, log, to);
  CHECK(changed.differ == 1);
  CHECK(mentions(changed.first, "sample 2, label buy: the log has 0.5, but the state of step "));
  CHECK(mentions(changed.first, " gives " + last));
}
