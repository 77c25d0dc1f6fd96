// SPDX-License-Identifier: Apache-2.0
// Scores rows of a CSV file with the newest checkpoint of mmoe, on any number of ranks, with the same bits.
//   scorer FOLDER ROWS.csv   of lines user,item;item,hour,price,pages,age; prints row,click,purchase
#include <fstream>
#include <iostream>
#include <sstream>

#include "two_tasks.hpp"
#include <tesserec/comm.hpp>
#include <tesserec/core/text.hpp>

using namespace two_tasks;

namespace {

std::vector<std::string> split(const std::string& text, char delimiter) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, delimiter);) words.push_back(word);
  return words;
}

template <class Number>
Number number(const std::string& word, const std::string& where) {
  if (const auto value = parse_number<Number>(word)) return *value;
  fail(where, ": \"", word, "\" is no number");
}

std::vector<Visit> read_visits(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail(path, ": cannot be read");
  std::vector<Visit> visits;
  for (std::string line; std::getline(file, line);) {
    const std::string where = concat(path, ":", visits.size() + 1);
    const std::vector<std::string> words = split(line, ',');
    if (words.size() != 2 + numbers) fail(where, ": ", words.size(), " fields, not ", 2 + numbers);
    Visit& visit = visits.emplace_back();
    visit.user = number<Index>(words[0], where);
    for (const std::string& item : split(words[1], ';')) visit.items.push_back(number<Index>(item, where));
    for (Index n = 0; n < numbers; ++n) visit.numbers[n] = number<float>(words[2 + n], where);
  }
  return visits;
}

int run(const comm::Communicator& world, const std::string& folder, const std::string& path) {
  add_types();
  const std::vector<Visit> visits = read_visits(path);
  const train::Job job = make_job(folder);
  const train::TrainedModel trained = train::open_trained(world, job, "");
  train::Session session(Exec(), world, job, visits_info(std::ssize(visits)));
  train::restore_weights(session, trained);

  const data::Deal deal = train::Session::deal(world, job, false);
  data::Batch batch(session.exec);
  for (Index b = 0; b < deal.batches(std::ssize(visits)); ++b) {  // predict is collective: all ranks make each batch
    const Index size = deal.batch_samples(std::ssize(visits), b), first = b * batch_size;
    const Range mine = deal.lanes.samples_of_rank(world.rank(), world.size(), size);
    fill(batch, mine, size, [&](Index s) { return visits[first + s]; });
    std::vector<float> clicks(mine.size()),
        logits(2 * mine.size());  // of both tasks, which the last layer puts side by side
    session.step.predict(batch, clicks.data(), logits.data());
    const std::vector<float> all = world.all_gather(std::span<const float>(logits));  // lanes, and so rows, in order
    for (Index s = 0; world.rank() == 0 && s < size; ++s)
      std::cout << first + s << "," << shortest(elementary::sigmoid(all[2 * s])) << ","
                << shortest(elementary::sigmoid(all[2 * s + 1])) << "\n";
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return comm::run(argc, argv, [&](const comm::Communicator& world) {
    if (argc != 3) fail("usage: scorer FOLDER ROWS.csv");
    return run(world, argv[1], argv[2]);
  });
}
