// SPDX-License-Identifier: Apache-2.0
// Service: scores with the trained model's bits, in each form of a request, and the reason of each refusal.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <thread>

#include "requests.hpp"
#include "scoring/trained.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/serve/service.hpp>

using namespace tesserec;

namespace {

class Served {
 public:
  explicit Served(serve::ServerSettings settings = {}) : settings_(settings) {
    scoring::export_model(trained_.exec, trained_.checkpoint(), folder_.path() + "/model", scoring::ServedFormat::fp32);
    model_ = std::make_unique<scoring::ServedModel>(trained_.exec, folder_.path() + "/model");
    service_ = std::make_unique<serve::Service>(*model_, settings_);
    trained_.each_batch([&](const data::Batch& batch, const std::vector<float>& probabilities) {
      if (three_.scores.empty()) three_ = ThreeSamples(batch, probabilities);
    });
  }

  const ThreeSamples& three() const { return three_; }
  serve::HttpReply answer(const serve::HttpRequest& request) const { return service_->answer(request); }
  serve::HttpReply get(const std::string& path) const { return answer({.method = "GET", .path = path}); }
  serve::HttpReply infer(const std::string& body, const std::string& json_bytes = "") const {
    return answer(
        {.method = "POST", .path = "/v2/models/model/infer", .read_body = reader_of(body), .json_bytes = json_bytes});
  }
  std::string feature(Index f) const { return three_.feature_input(f); }
  std::vector<std::string> inputs() const { return three_.inputs(); }

 private:
  const comm::Communicator world_{MPI_COMM_WORLD};
  const Folder folder_{world_, "serve"};
  Trained trained_{folder_, "bottom = [8, 4]\ntop = [8, 1]\n", ""};
  serve::ServerSettings settings_;
  std::unique_ptr<scoring::ServedModel> model_;
  std::unique_ptr<serve::Service> service_;
  ThreeSamples three_;
};

std::string refused(const serve::HttpReply& reply, int status) {
  INFO(reply.body);
  CHECK(reply.status == status);
  return parse_json(reply.body).at("error").string();
}

}  // namespace

TEST_CASE("Service: scores have the trained model's bits, as JSON and as bytes, with offsets and by shape") {
  const Served served;
  const ThreeSamples& three = served.three();
  const serve::HttpReply reply = served.infer(request_of(served.inputs(), ", \"id\": \"a7\""));
  CHECK(scores_of(reply) == three.scores);
  CHECK(parse_json(reply.body).at("id").string() == "a7");
  CHECK(parse_json(reply.body).at("model_version").string() == "3");

  // Three ids a sample by the shape, as nested lists.
  std::vector<std::string> by_shape = served.inputs();
  for (Index f = 0; f < 3; ++f) {
    const std::string rows = "[" + list(three.ids[f].data(), 3) + "], [" + list(three.ids[f].data() + 3, 3) + "], [" +
                             list(three.ids[f].data() + 6, 3) + "]";
    by_shape[f + 1] = input("C" + std::to_string(f + 1), "INT32", "3, 3", rows);
  }
  CHECK(scores_of(served.infer(request_of(by_shape))) == three.scores);

  // The dense numbers and the scores as bytes.
  by_shape[0] = R"({"name": "dense", "datatype": "FP32", "shape": [3, 3], "parameters": {"binary_data_size": 36}})";
  std::string body = request_of(by_shape, R"(, "outputs": [{"name": "scores", "parameters": {"binary_data": true}}])");
  const std::string json_bytes = std::to_string(body.size());
  body.append(reinterpret_cast<const char*>(three.dense.data()), 36);
  const serve::HttpReply binary = served.infer(body, json_bytes);
  REQUIRE(binary.status == 200);
  REQUIRE(binary.body.size() == std::stoul(binary.json_bytes) + 12);
  CHECK(std::memcmp(binary.body.data() + std::stoul(binary.json_bytes), three.scores.data(), 12) == 0);
  std::string cut = body;
  cut.replace(cut.find(": 36}"), 5, ": 37}");
  CHECK(refused(served.infer(cut + "x", json_bytes), 400) ==
        "input \"dense\" has 37 bytes, which is no multiple of 4 (binary_data_size)");
  const std::string own = request_of(
      served.inputs(),
      R"(, "parameters": {"binary_data_output": true}, "outputs": [{"name": "scores", "parameters": {"binary_data": false}}])");
  CHECK(scores_of(served.infer(own)) == three.scores);
  CHECK(refused(served.infer(body), 400) != "");
  CHECK(mentions(refused(served.infer(body + "x", json_bytes), 400), "1 byte behind the JSON belong to no input"));
  CHECK(mentions(refused(served.infer(body, "99999"), 400), "Inference-Header-Content-Length is \"99999\""));
}

TEST_CASE("Service: items of one user, whose inputs have one sample") {
  const Served served;
  const auto dense = [](Index samples) {
    return input("dense", "FP32", std::to_string(samples) + ", 3",
                 samples == 1 ? "0.5, 1, -1" : "0.5, 1, -1, 0.5, 1, -1, 0.5, 1, -1");
  };
  const std::string of_user = ", \"parameters\": {\"items_of_one_user\": true}",
                    ids = input("C3", "INT64", "3", "3, 2, 89"), each = input("C1", "INT64", "3", "9, 9, 9"),
                    one = input("C1", "INT64", "1", "9"), bags = served.feature(1);
  const std::vector<float> whole = scores_of(served.infer(request_of({dense(3), each, bags, ids})));
  CHECK(whole[0] != whole[2]);
  for (const std::string& first : {dense(1), dense(3)})
    for (const std::string& c1 : {one, each})
      CHECK(scores_of(served.infer(request_of({first, c1, bags, ids}, of_user))) == whole);
  CHECK(refused(served.infer(request_of({dense(1), one, bags, ids})), 400) ==
        "input \"C2\" is for 3 samples, but the inputs before are for 1");
  const std::string two = input("C3", "INT64", "2", "3, 2");
  CHECK(refused(served.infer(request_of({dense(1), one, bags, two}, of_user)), 400) ==
        "input \"C3\" is for 2 samples, but the inputs before are for 3");
  const std::string c2 = input("C2", "INT64", "1", "4"), c3 = input("C3", "INT64", "1", "3");
  const std::vector<float> alone = scores_of(served.infer(request_of({dense(1), one, c2, c3}, of_user)));
  CHECK(alone.size() == 1);
  CHECK(alone == scores_of(served.infer(request_of({dense(1), one, c2, c3}))));
}

TEST_CASE("Service: each wrong request is refused with its reason, and the next one is answered") {
  const Served served;
  const auto with = [&](std::size_t at, const std::string& replaced) {
    std::vector<std::string> inputs = served.inputs();
    inputs[at] = replaced;
    return refused(served.infer(request_of(inputs)), 400);
  };
  CHECK(with(1, input("C1", "INT64", "3", "1, 50, 3")) == "feature C1, sample 1: id 50 is outside table C1 of 50 rows");
  CHECK(with(1, input("C1", "INT64", "3", "1, -1, 3")) == "feature C1, sample 1: id -1 is outside table C1 of 50 rows");
  CHECK(mentions(
      with(1, input("C9", "INT64", "3", "1, 2, 3")),
      "the request lacks input \"C1\", and has input \"C9\", which the model does not have; did you mean \"C1\"?"));
  CHECK(mentions(with(1, served.feature(0) + ", " + input("C9", "INT64", "1", "1")), "the model has no input \"C9\""));
  CHECK(mentions(with(1, served.feature(1)), "the request has input \"C2\" twice"));
  CHECK(with(1, input("C1", "INT64", "2", "1, 2")) == "input \"C1\" is for 2 samples, but the inputs before are for 3");
  CHECK(with(1, input("C1", "INT64", "3", "1, 2")) == "input \"C1\" has 2 numbers, but its shape [3] has 3");
  CHECK(with(1, input("C1", "INT64", "3", "1, 2.5, 3")) != "");
  CHECK(with(1, input("C1", "FP32", "3", "1, 2, 3")) == "input \"C1\" has datatype \"FP32\"; give INT64 or INT32");
  CHECK(mentions(with(1, input("C1", "INT64", "3, 0", "")), "give offsets where samples have no ids"));
  CHECK(mentions(with(1, input("C1", "INT64", "4000000000000000, 4000000000000000", "1")), "the shape has the extent"));
  CHECK(mentions(with(1, input("C1", "INT64", "3", "1, 2, 3") + ", " + input("C1.offsets", "INT64", "4", "0, 9, 1, 3")),
                 "feature C1, sample 1: offset 1 follows 9"));
  CHECK(mentions(with(1, input("C1", "INT64", "3", "1, 2, 3") + ", " + input("C1.offsets", "INT64", "4", "0, 1, 2, 4")),
                 "\"C1.offsets\" must begin with 0 and end with the number of ids, 3"));
  CHECK(with(0, input("dense", "FP32", "9", "1,1,1,1,1,1,1,1,1")) ==
        "input \"dense\" has shape [9]; give [samples, 3]");
  CHECK(mentions(with(0, input("dense", "FP32", "3, 3", "1,1,1,1,1e39,1,1,1,1")),
                 "sample 1: dense feature 1 is not finite"));
  CHECK(with(0, input("dense", "FP32", "3, 3", "1,1,1,1,NaN,1,1,1,1")) != "");
  CHECK(refused(served.infer(""), 400) != "");
  CHECK(refused(served.infer("{}"), 400) == "\"inputs\" is missing");
  CHECK(refused(served.infer(R"({"inputs": {}})"), 400) == "inputs: {} is not a list");
  CHECK(mentions(refused(served.infer(request_of({"{}"})), 400), "input 0, counted from 0: \"name\" is missing"));
  CHECK(with(1, R"({"name": "C1", "datatype": "INT64", "data": [1]})") == "input \"C1\": \"shape\" is missing");
  // Lists inside of a list must be those of the shape: else values would go to other samples.
  CHECK(mentions(with(1, input("C1", "INT64", "2, 2", "[1], [2, 3, 4]")),
                 "input \"C1\": data: a list of dimension 1, counted from 0, has 1 element, but the shape is [2, 2]"));
  CHECK(mentions(with(1, input("C1", "INT64", "2, 2", "[1, 2], 3, 4")), "has 3 elements, but the shape is [2, 2]"));
  CHECK(mentions(with(1, input("C1", "INT64", "2, 2", "[1, 2], 3")), "holds values, but the shape is [2, 2]"));
  CHECK(mentions(with(1, input("C1", "INT64", "2", "[1], [2]")), "holds lists, but the shape is [2]"));
  CHECK(mentions(with(1, R"({"name": "C1", "datatype": "INT64", "shape": [1], "data": [1],
                             "parameters": {"binary_data_size": 8}})"),
                 "input \"C1\": it has data and binary_data_size; give one of them"));
  CHECK(
      mentions(with(1, R"({"name": "C1", "dataype": "INT64", "shape": [1], "data": [1]})"), "\"datatype\" is missing"));
  CHECK(mentions(with(1, R"({"name": "C1", "datatype": "INT64", "shape": [1], "data": [1], "dta": 1})"),
                 "input \"C1\": \"dta\" is no key here; did you mean \"data\"?"));
  CHECK(with(1, R"({"name": "C1", "datatype": "INT64", "shape": [1]})") == "input \"C1\": \"data\" is missing");
  const auto more = [&](const std::string& text) {
    return refused(served.infer(request_of(served.inputs(), ", " + text)), 400);
  };
  CHECK(more(R"("id": 5)") == "id: 5 is not a string");
  CHECK(mentions(more(R"("parameters": {"items_of_one_user": "true"})"),
                 R"(parameter "items_of_one_user": "true" is not true or false)"));
  CHECK(more(R"("outputs": [{}])") == "outputs: \"name\" is missing");
  const auto broken = [](const serve::TakePiece& take) { return take("{") && false; };
  CHECK(refused(served.answer({.method = "POST", .path = "/v2/models/model/infer", .read_body = broken}), 400) ==
        "the body could not be read: it ended early, came too slowly or is damaged");
  CHECK(refused(served.infer(std::string((4 << 20) + 1, ' ')), 413) ==
        "the body has more than 4194304 bytes; score fewer samples");
  CHECK(mentions(refused(served.infer(request_of(served.inputs(), R"(, "outputs": [{"name": "logits"}])")), 400),
                 "there is no output \"logits\""));
  CHECK(refused(served.infer(request_of(served.inputs(), R"(, "outputs": [{"name": "scores"}, {"name": "scores"}])")),
                400) == "the request names output \"scores\" twice; name each output once");
  CHECK(scores_of(served.infer(request_of(served.inputs()))) == served.three().scores);
}

TEST_CASE("Service: a score that is not finite is refused and counted, and the log lacks its request") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "serve_not_finite");
  std::filesystem::create_directories(folder.path());
  const std::string log = folder.path() + "/scores.jsonl";
  const Served served({.log = log});
  std::vector<std::string> inputs = served.inputs();
  inputs[0] = input("dense", "FP32", "3, 3", "0,0,0,0,0,0,-3e38,-3e38,-3e38");
  const auto refuse = [&](const std::string& more) {
    CHECK(refused(served.infer(request_of(inputs, more)), 400) ==
          "sample 2: the score is not finite; give smaller numbers, or look for damage with tesserec verify");
  };
  refuse("");
  refuse(R"(, "parameters": {"binary_data_output": true})");
  CHECK(scores_of(served.infer(request_of(served.inputs()))) == served.three().scores);
  CHECK(mentions(served.get("/metrics").body, "\ntesserec_not_finite_total 2\n"));
  CHECK(mentions(served.get("/metrics").body, "tesserec_samples_total 3\n"));
  const std::string lines = read_file(log);
  CHECK(std::ranges::count(lines, '\n') == 2);
}

TEST_CASE("Service: paths, methods, the token and the metrics") {
  const Served served({.name = "model", .in_flight = 1, .token = "s3cret"});
  CHECK(served.get("/v2/health/live").body == R"({"live": true})");
  CHECK(served.get("/v2/health/ready").body == R"({"ready": true})");
  CHECK(mentions(refused(served.get("/metrics"), 401), "Authorization: Bearer TOKEN"));
  const auto get = [&](const std::string& path) {
    return served.answer({.method = "GET", .path = path, .authorization = "Bearer s3cret"});
  };
  const auto asked = [&](const std::string& authorization) {
    return served.answer({.method = "GET", .path = "/v2", .authorization = authorization});
  };
  CHECK(mentions(refused(asked("Bearer s3creT"), 401), "the request has another token than the server; send the"));
  CHECK(mentions(refused(asked("Basic s3cret"), 401), "the request lacks the server's token; send the header"));
  CHECK(refused(asked("Bearer"), 401) != "");
  for (const char* bears : {"bearer s3cret", "BEARER  s3cret"}) CHECK(asked(bears).status == 200);
  const Json server = parse_json(get("/v2").body);
  CHECK(server.at("name").string() == "tesserec");
  CHECK(std::ranges::count(server.at("version").string(), '.') == 2);  // the program's, not the format's of models
  CHECK(mentions(refused(get("/v2/models/other"), 404), "the model is at /v2/models/model"));
  CHECK(refused(get("/v2/models/model/infer"), 405) == "/v2/models/model/infer takes POST, not GET");
  CHECK(get("/v2/models/model/versions/3/ready").body == R"({"name": "model", "ready": true})");
  const Json metadata = parse_json(get("/v2/models/model").body);
  CHECK(metadata.at("inputs").elements().size() == 7);
  CHECK(metadata.at("inputs").elements()[0].text() == R"({"name": "dense", "datatype": "FP32", "shape": [-1, 3]})");
  CHECK(metadata.at("versions").elements().at(0).string() == "3");
  const serve::HttpRequest infer{.method = "POST",
                                 .path = "/v2/models/model/infer",
                                 .read_body = reader_of(request_of(served.inputs())),
                                 .authorization = "Bearer s3cret"};
  for (int i = 0; i < 2; ++i) CHECK(scores_of(served.answer(infer)) == served.three().scores);
  const std::string metrics = get("/metrics").body;
  INFO(metrics);
  for (const char* line :
       {"tesserec_requests_total{code=\"200\"} 9\n", "tesserec_requests_total{code=\"401\"} 4\n",
        "tesserec_samples_total 6\n", "tesserec_infer_seconds_bucket{le=\"+Inf\"} 2\n",
        "tesserec_infer_seconds_count 2\n", "tesserec_in_flight 0\n", "tesserec_model_step{model=\"model\"} 3\n"})
    CHECK(mentions(metrics, line));
}

TEST_CASE("Service: many threads share few contexts; requests beyond the limit are refused") {
  const Served full({.in_flight = 0});
  CHECK(refused(full.infer(request_of(full.inputs())), 503) ==
        "the server has 0 requests in flight, which is its limit; try again later");
  const Served served({.threads = 2, .in_flight = 3});
  const std::string body = request_of(served.inputs());
  std::vector<Index> right(8), refusals(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const serve::HttpReply reply = served.infer(body);
        refusals[t] += reply.status == 503 && mentions(reply.body, "requests in flight, which is its limit");
        if (reply.status != 200) continue;
        const Json json = parse_json(reply.body);
        const auto& data = json.at("outputs").elements().at(0).at("data").elements();
        bool same = data.size() == 3;
        for (std::size_t s = 0; same && s < 3; ++s) same = float(data[s].number()) == served.three().scores[s];
        right[t] += same;
      }
    });
  for (std::thread& thread : threads) thread.join();
  Index answered = 0;
  for (std::size_t t = 0; t < right.size(); ++t) {
    CHECK(right[t] + refusals[t] == 200);
    answered += right[t];
  }
  CHECK(answered > 0);
}
