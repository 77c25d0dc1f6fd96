// SPDX-License-Identifier: Apache-2.0
// Service: requests with raw values, as JSON and as bytes, and the reasons of refusals.
#include <filesystem>

#include "requests.hpp"
#include "scoring/raw_job.hpp"
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/scoring/export_model.hpp>
#include <tesserec/serve/service.hpp>

using namespace tesserec;

namespace {

class ServedRows {
 public:
  /// `more`: keys of [preprocess].
  explicit ServedRows(const std::string& more = "") {
    std::filesystem::create_directories(folder_.path());
    std::string deck = raw_deck(folder_.path());
    deck.insert(deck.find("minimum_count"), more);
    job_ = std::make_unique<RawJob>(folder_.path(), raw_rows(400, "u", 1), raw_rows(40, "new", 2), deck);
    const std::string to = folder_.path() + "/model";
    scoring::export_model(job_->trained->exec, job_->trained->checkpoint(), to, scoring::ServedFormat::fp32);
    model_ = std::make_unique<scoring::ServedModel>(job_->trained->exec, to);
    service_ = std::make_unique<serve::Service>(*model_, serve::ServerSettings());
    job_->trained->each_batch([&](const data::Batch&, const std::vector<float>& some) {
      scores.insert(scores.end(), some.begin(), some.end());
    });
  }

  const RawTable& table() const { return job_->evaluated; }
  const scoring::ServedModel& model() const { return *model_; }
  /// Returns the texts of a column in the first `rows` rows as JSON.
  std::string texts(const std::string& column, Index rows) const {
    std::vector<std::string> all;
    for (Index r = 0; r < rows; ++r)
      all.push_back(Json(table().rows.at(std::size_t(r)).at(table().column(column))).text());
    return join(all);
  }
  std::string column(const std::string& name, Index rows) const {
    return input(name, "BYTES", std::to_string(rows), texts(name, rows));
  }
  std::vector<std::string> inputs(Index rows) const {
    std::vector<std::string> all;
    for (const scoring::RawColumn& raw : model_->raw()->columns()) all.push_back(column(raw.name, rows));
    return all;
  }
  serve::HttpReply get(const std::string& path) const { return service_->answer({.method = "GET", .path = path}); }
  serve::HttpReply infer(const std::string& body, const std::string& json_bytes = "") const {
    return service_->answer(
        {.method = "POST", .path = "/v2/models/model/infer", .read_body = reader_of(body), .json_bytes = json_bytes});
  }
  std::string refused(const std::vector<std::string>& given) const {
    const serve::HttpReply reply = infer(request_of(given));
    INFO(reply.body);
    CHECK(reply.status == 400);
    return parse_json(reply.body).at("error").string();
  }

  std::vector<float> scores;

 private:
  const comm::Communicator world_{MPI_COMM_WORLD};
  const Folder folder_{world_, "serve_raw"};
  std::unique_ptr<RawJob> job_;
  std::unique_ptr<scoring::ServedModel> model_;
  std::unique_ptr<serve::Service> service_;
};

}  // namespace

TEST_CASE("Service: raw values have the scores of the preprocessed rows and are counted") {
  const ServedRows served;
  const std::vector<float> expected(served.scores.begin(), served.scores.begin() + 40);
  CHECK(scores_of(served.infer(request_of(served.inputs(40)))) == expected);
  const std::string metrics = served.get("/metrics").body;
  CHECK(metrics.find("tesserec_raw_unknown_total{feature=\"user\"} 0") == std::string::npos);
  CHECK(metrics.find("tesserec_raw_unknown_total{feature=\"item\"} 0") != std::string::npos);  // hashed
  CHECK(metrics.find("tesserec_raw_missing_total{column=\"price\"} 0") == std::string::npos);
  CHECK(metrics.find("tesserec_raw_cut_total{feature=\"tags\"} 0") == std::string::npos);
  CHECK(metrics.find("tesserec_raw_cut_total{feature=\"user\"} 0") != std::string::npos);
  CHECK(metrics.find("tesserec_raw_clipped_total{column=\"clicks\"} 0") != std::string::npos);
  CHECK(metrics.find("tesserec_raw_clipped_total{column=\"user\"}") == std::string::npos);
  CHECK(metrics.find("tesserec_ids_without_row_total") == std::string::npos);  // no table grows
  const Json metadata = parse_json(served.get("/v2/models/model").body);
  const auto& raw = metadata.at("raw_inputs").elements();
  REQUIRE(raw.size() == 7);
  CHECK(raw[3].at("name").string() == "tags");
  CHECK(raw[3].at("separator").string() == "|");
  CHECK(raw[0].at("kind").string() == "number");

  // Texts as bytes, values one by one, and numbers as numbers.
  std::vector<std::string> inputs = served.inputs(2);
  std::string bytes;
  for (const char* text : {"u3", "new4"}) {
    const auto size = std::uint32_t(std::string_view(text).size());
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes += text;
  }
  inputs[2] = input("user", "BYTES", "2", R"("u3", "new4")");
  inputs[3] = input("tags", "BYTES", "2", R"("t1:0.5|t3", "")");
  inputs[0] = input("price", "BYTES", "2", R"("-3.25", "NA")");
  inputs[4] = input("age", "BYTES", "2", R"("17", "65")");
  const std::vector<float> by_texts = scores_of(served.infer(request_of(inputs)));
  inputs[2] = R"({"name": "user", "datatype": "BYTES", "shape": [2, 1], "parameters": {"binary_data_size": )" +
              std::to_string(bytes.size()) + "}}";
  inputs[3] = input("tags", "BYTES", "2", R"("t1:0.5", "t3")") + ", " + input("tags.offsets", "INT64", "3", "0, 2, 2");
  inputs[4] = input("age", "FP64", "2", "17, 65");
  const std::string json = request_of(inputs);
  CHECK(scores_of(served.infer(json + bytes, std::to_string(json.size()))) == by_texts);

  // One user's texts beside several items.
  std::vector<std::string> items = served.inputs(1);
  items[0] = input("price", "BYTES", "1", R"("-2")");
  items[1] = input("clicks", "BYTES", "1", R"("-2")");  // which log1p takes as 0
  items[6] = input("item", "BYTES", "3", R"("i1", "i2", "")");
  const std::vector<float> of_items =
      scores_of(served.infer(request_of(items, R"(, "parameters": {"items_of_one_user": true})")));
  REQUIRE(of_items.size() == 3);
  const std::string clipped = served.get("/metrics").body;
  CHECK(clipped.find("tesserec_raw_clipped_total{column=\"clicks\"} 3\n") != std::string::npos);
  CHECK(clipped.find("tesserec_raw_clipped_total{column=\"price\"} 0\n") != std::string::npos);
  items[6] = input("item", "BYTES", "1", R"("i2")");
  CHECK(scores_of(served.infer(request_of(items))).at(0) == of_items[1]);
}

TEST_CASE("Service: raw values that do not fit are refused with column and sample and text") {
  const ServedRows served;
  const std::vector<std::string> good = served.inputs(2);
  const auto with = [&](std::size_t place, const std::string& other) {
    std::vector<std::string> inputs = good;
    inputs[place] = other;
    return served.refused(inputs);
  };
  CHECK(mentions(with(0, input("price", "BYTES", "2", R"("1", "12,5")")), "sample 1: price: \"12,5\" is not a number"));
  CHECK(mentions(with(2, input("user", "INT64", "2", "1, 2")), "raw values and ids are not mixed"));
  CHECK(mentions(with(2, input("user", "FP32", "2", "1, 2")), "raw values and ids are not mixed"));
  CHECK(mentions(with(2, input("user", "BYTES", "3", R"("a", "b", "c")")), "is for"));
  CHECK(mentions(with(2, input("user", "BYTES", "2", R"("a")")), "has 1 value, but its shape [2] has 2"));
  CHECK(mentions(with(2, input("user", "BYTES", "1, 2", R"("a", "b")")), "give [samples]"));
  CHECK(mentions(with(2, input("user", "BYTES", "1099511627776", R"("a")")), "has 1 value, but its shape"));
  CHECK(mentions(with(3, input("tags", "BYTES", "1099511627776, 0", "")), "[samples, values], or offsets"));
  CHECK(mentions(
      with(3, input("tags", "BYTES", "2", R"("a", "b")") + ", " + input("tags.offsets", "INT64", "4", "0, 2, 1, 2")),
      "decreases"));
  CHECK(mentions(with(3, input("tags", "BYTES", "2, 2", R"("a", "b|c", "d", "e")")), "has the separator \"|\""));
  CHECK(
      with(2, input("usr", "BYTES", "2", R"("a", "b")")) ==
      "the request lacks input \"user\", and has input \"usr\", which the model does not have; did you mean \"user\"?");
  CHECK(mentions(with(2, input("shop", "BYTES", "2", R"("a", "b")")),
                 "and has input \"shop\", which the model does not have; it has price, "));
  CHECK(mentions(with(2, input("price2", "BYTES", "2", R"("a", "b")")), "lacks input \"user\""));
  CHECK(mentions(with(5, good[5] + ", " + input("dense", "FP32", "2, 3", "1, 2, 3, 4, 5, 6")), "no input \"dense\""));
  CHECK(mentions(with(0, input("price", "BOOL", "2", "1, 0")), "give BYTES, FP32, FP64, INT64 or INT32"));
  CHECK(mentions(with(4, input("age", "INT64", "2", "1, 2")), "whole numbers are ids of its feature"));
  CHECK(mentions(served.refused({input("age", "FP32", "2", "1, 2.5")}),  // no ids
                 R"(lacks input "price", for input "age" of datatype "FP32" says that it gives raw values)"));

  // Ids, among which one input has another type.
  std::vector<std::string> ids = {input("dense", "FP32", "1, 3", "1, 2, 3"), input("user", "INT64", "1", "1"),
                                  input("tags", "INT64", "1", "1"),          input("tags.weights", "FP32", "1", "1"),
                                  input("age", "INT64", "1", "1"),           input("when_hour", "INT64", "1", "1"),
                                  input("item", "INT64", "1", "1"),          input("user_age", "INT64", "1", "1")};
  CHECK(served.infer(request_of(ids)).status == 200);
  const auto among_ids = [&](std::size_t place, const std::string& other) {
    std::vector<std::string> mixed = ids;
    mixed[place] = other;
    return served.refused(mixed);
  };
  CHECK(among_ids(1, input("user", "FP32", "1", "1")) == "input \"user\" has datatype \"FP32\"; give INT64 or INT32");
  CHECK(among_ids(4, input("age", "FP32", "1", "1")) == "input \"age\" has datatype \"FP32\"; give INT64 or INT32");
  CHECK(mentions(among_ids(1, input("user", "BYTES", "1", "\"u1\"")),
                 R"(lacks input "price", for input "user" of datatype "BYTES" says that it gives raw values)"));
  const std::string cut =
      R"({"name": "user", "datatype": "BYTES", "shape": [2], "parameters": {"binary_data_size": 6}})";
  std::vector<std::string> inputs = good;
  inputs[2] = cut;
  const std::string json = request_of(inputs);
  const serve::HttpReply reply = served.infer(json + std::string("\x09\0\0\0ab", 6), std::to_string(json.size()));
  CHECK(reply.status == 400);
  CHECK(mentions(reply.body, "its bytes end inside of a text"));
  CHECK(served.infer(request_of(good)).status == 200);
}

TEST_CASE("Service: an empty list of values is a missing value, whatever text stands for one") {
  const ServedRows served("missing = [\"NA\", \"?\", \"\"]\n");
  std::vector<std::string> inputs = served.inputs(2);
  inputs[3] = input("tags", "BYTES", "2", R"("t1", "NA")");
  const std::vector<float> expected = scores_of(served.infer(request_of(inputs)));
  inputs[3] = input("tags", "BYTES", "1", R"("t1")") + ", " + input("tags.offsets", "INT64", "3", "0, 1, 1");
  CHECK(scores_of(served.infer(request_of(inputs))) == expected);
  REQUIRE(served.model().raw()->columns()[3].missing == "NA");
}
