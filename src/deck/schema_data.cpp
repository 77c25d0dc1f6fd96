// SPDX-License-Identifier: Apache-2.0
// Keys of [data] and [data.synthetic].
#include <optional>

#include "section.hpp"
#include <tesserec/data/source_types.hpp>
#include <tesserec/schema/own_rows.hpp>

namespace tesserec::deck {
namespace {

Section data_section() {
  using Data = data::Settings;
  Keys<Data> keys = {
      texts("train", &Data::train, Text::filled, {},
            "HDF5 data sets to train on. Names may contain *, ? and [...]; the path of an existing file is taken "
            "literally."),
      texts("evaluate", &Data::evaluate, Text::filled, {}, "HDF5 data sets to evaluate on; patterns as in train."),
      default_words(texts("predict", &Data::predict, Text::filled, {},
                          "HDF5 data sets to score, which need no labels; patterns as in train."),
                    "[] (those of evaluate)"),
      default_words(
          text("window", &Data::window, Text::any,
               "Train in the order of time, by windows of data.train, and evaluate each window before training on it: "
               "file: each file is a window; \"1 day\", \"6 hours\", ...: windows of that span, from the times that "
               "preprocess stores (stored = true), in UTC. train.shuffle is inside of a window; train.epochs must be "
               "1."),
          "\"\" (epochs over all samples)"),
      boolean("missing_labels", &Data::missing_labels,
              "Allow samples that lack some of the labels of model.tasks (NaN in the data set). Loss and metrics of a "
              "label leave them out."),
      boolean("trust", &Data::trust,
              "Allow data sets that read from other files: virtual datasets, external storage, external links. Their "
              "author then chooses which of your files are read."),
      default_words(
          integers("multi_hot_sizes", &Data::multi_hot_sizes, {1, 1000000}, {}, "ids",
                   "Ids of a sample in each feature, in the order of the data's features, which must have one "
                   "id per sample. The other ids are a uniform function of multi_hot_seed, feature and id, as "
                   "in MLPerf's DLRM v2."),
          "[] (as in the data)"),
      integer("multi_hot_seed", &Data::multi_hot_seed, {0, no_limit}, "", "Seed of the ids that multi_hot_sizes adds."),
  };
  std::vector<std::string> inner = {"synthetic"};
  Choices<std::string> sources;
  for (const data::SourceType& type : data::source_types()) {
    inner.push_back(type.name);
    sources.emplace_back(type.name, type.name);
  }
  if (!sources.empty())
    keys.push_back(default_words(
        choice("source", &Data::source, sources,
               join(data::source_types(), " ", [](const auto& type) { return type.name + ": " + type.text; })),
        "unset (files, or [data.synthetic])"));
  return single(
      "data", "Source of the samples: files, or [data.synthetic].", keys, [](auto& d) -> auto& { return d.data; },
      inner);
}

/// Makes the block [data.NAME] of a user's source type.
Section source_section(const data::SourceType& type) {
  using Data = data::Settings;
  const auto type_of = [name = type.name](const Data&) -> auto& { return data::source_type(name); };
  const auto values = [](auto& data) -> auto& { return data.own_values; };
  Keys<Data> keys;
  for (const OwnKey& key : type.own) keys.push_back(own_row<Data>({{"", key}}, type_of, values));
  const std::string path = "data." + type.name;
  Section section = single(
      path, type.text, keys, [](auto& d) -> auto& { return d.data; });
  section.read = [=, name = type.name, read = section.read](Deck& deck, const Value& root) {
    const Value* block = root.find_path(path);
    if (block != nullptr && deck.data.source != name)
      fail(block->where, ": ", path, " applies only to data.source = ", quoted(name), "; set it, or omit the block");
    read(deck, root);
  };
  section.write = [=, name = type.name, write = section.write](const Deck& deck, std::string& out) {
    if (deck.data.source == name) write(deck, out);
  };
  return section;
}

/// Maximum number of samples. It is exact as a double, and adding a batch to it does not overflow.
constexpr Index max_samples = Index{1} << 53;

Section synthetic_section() {
  using Synthetic = data::SyntheticSettings;
  using Labels = data::PlantedLabels;
  const auto of_labels = [](const Key<Labels>& key) { return inside(&Synthetic::labels, key); };
  const Choices<data::SyntheticKind> kinds = {{"none", data::SyntheticKind::none},
                                              {"planted", data::SyntheticKind::planted},
                                              {"reference", data::SyntheticKind::reference}};
  const Choices<std::optional<data::IdLaw>> laws = {{"auto", std::nullopt},
                                                    {"uniform", data::IdLaw::uniform},
                                                    {"gaussian", data::IdLaw::gaussian},
                                                    {"zipf", data::IdLaw::zipf},
                                                    {"trace", data::IdLaw::trace}};
  const Choices<data::BitGenerator> generators = {{"philox", data::BitGenerator::philox},
                                                  {"mt19937", data::BitGenerator::mt19937}};
  const Keys<Synthetic> keys = {
      choice("kind", &Synthetic::kind, kinds,
             "Generator of samples. planted: click logs from a hidden model with a known best AUC. reference: uniform "
             "generator of the reference DLRM. none: no synthetic data."),
      integer("samples", &Synthetic::samples, {0, max_samples}, "samples", "Training samples of an epoch."),
      integer("evaluate_samples", &Synthetic::evaluate_samples, {0, max_samples}, "samples",
              "Evaluation samples. planted: drawn independently of the training samples. reference: the first samples "
              "of the same sequence as in training."),
      integers("rows", &Synthetic::rows, {1, no_limit}, {}, "rows", "Rows of each table; one feature per table."),
      integer("max_rows", &Synthetic::max_rows, {}, "rows", "Upper limit of every entry of rows; 0 means no limit."),
      integer("dense_features", &Synthetic::dense_features, {1, 65536}, "numbers", "Dense features of a sample."),
      integer("ids_per_bag", &Synthetic::ids_per_bag, {1, 1000000}, "ids",
              "Ids in a bag, or the maximum if the lengths of bags vary."),
      default_words(
          integers("bag_lengths", &Synthetic::bag_lengths, {1, 1000000}, {}, "ids",
                   "planted: ids_per_bag of each feature, in the order of rows. A feature with 1 has exactly one id."),
          "[] (ids_per_bag)"),
      default_words(boolean("variable_bags", &Synthetic::variable_bags,
                            "Vary the lengths of bags. planted: uniform in 0 to ids_per_bag; false means exactly "
                            "ids_per_bag. reference: 1 to ids_per_bag draws, at most the table's rows; false means "
                            "ids_per_bag draws. Repeated draws of an id count once in reference."),
                    "false (planted), true (reference)"),
      default_words(choice("ids", &Synthetic::ids, laws,
                           "Law of the ids. uniform: all rows alike. zipf: few are frequent, with weight rank^-zipf; "
                           "reference ranks ids by number, planted scatters the ranks over the rows. gaussian, for "
                           "reference: normal numbers, clipped to a range and rounded down. trace, for reference "
                           "without train.shuffle: ids that come again as those of profile do."),
                    "\"auto\" (zipf for planted, uniform for reference)"),
      number("zipf", &Synthetic::zipf, {0.0, 10.0}, "",
             "Zipf exponent of the id frequencies where ids are zipf; 0 means uniform."),
      text("profile", &Synthetic::profile, Text::path,
           "Reuse profile that ids = \"trace\" follow, from `tesserec generate --profile`. Entry f of rows is for its "
           "feature f."),
      default_words(number("gaussian_mu", &Synthetic::gaussian_mu, {-1e18, 1e18}, "", "Mean of gaussian ids."),
                    "unset (middle of the range)"),
      default_words(number("gaussian_sigma", &Synthetic::gaussian_sigma, {0.0, 1e18}, "",
                           "Standard deviation of gaussian ids before they are clipped."),
                    "unset (a sixth of the range)"),
      default_words(integer("gaussian_min", &Synthetic::gaussian_min, {0, no_limit}, "", "Lowest gaussian id."),
                    "unset (0)"),
      default_words(integer("gaussian_max", &Synthetic::gaussian_max, {0, no_limit}, "",
                            "Highest gaussian id. In a smaller table it is the last row."),
                    "unset (last row)"),
      number("click_rate", &Synthetic::click_rate, {1e-6, 1.0 - 1e-6}, "", "planted: target share of label 1."),
      default_words(of_labels(texts("labels", &Labels::names, Text::name, {},
                                    "planted: names of several labels. The first is that of the hidden model; each "
                                    "other one mixes its logit with one of its own.")),
                    "[] (one label)"),
      default_words(of_labels(numbers("label_rates", &Labels::rates, {1e-6, 1.0 - 1e-6}, {}, "",
                                      "planted: target share of 1 of each label.")),
                    "[] (click_rate)"),
      of_labels(number("label_correlation", &Labels::correlation, {-1.0, 1.0}, "",
                       "planted: correlation of the logit of each further label with the first's.")),
      of_labels(number("missing_labels", &Labels::missing, {0.0, 1.0, true}, "",
                       "planted: share of the samples that lack each label but the first, at random; "
                       "data.missing_labels = true allows it.")),
      of_labels(boolean("label_funnel", &Labels::funnel,
                        "planted: a label is 1 only where the one before it is 1, as purchases follow clicks. Its rate "
                        "in label_rates is that of all samples, as if all had the one before.")),
      number("strength", &Synthetic::strength, {0.0, 100.0}, "",
             "planted: standard deviation of the hidden model's logit, with all its terms."),
      texts("pair", &Synthetic::pair, Text::name, {},
            "planted: query feature and item feature whose inner product is a term of the hidden model's logit. Both "
            "have exactly one id per sample."),
      number("pair_strength", &Synthetic::pair_strength, {0.0, 100.0}, "",
             "planted: standard deviation of the pair's term in the logit, relative to the term of one table."),
      integer("pair_rank", &Synthetic::pair_rank, {1, 1024}, "numbers",
              "planted: length of the hidden vectors of the pair or the sequence."),
      texts("sequence", &Synthetic::sequence, Text::name, {},
            "planted: item feature, with exactly one id per sample, and the feature of the items before it, the latest "
            "one last. The inner products of their hidden vectors are a term of the hidden model's logit, in which an "
            "item counts 0.8 times as much as the one after it. Both have equally many rows, and the same id is the "
            "same item."),
      number(
          "sequence_strength", &Synthetic::sequence_strength, {0.0, 100.0}, "",
          "planted: standard deviation of the sequence's term in the logit, for a bag of full length, relative to the "
          "term of one table."),
      boolean("round_targets", &Synthetic::round_targets, "reference: round targets to 0 or 1."),
      boolean("hashed", &Synthetic::hashed,
              "Hash ids to any 64-bit numbers, as those of tokens are, for tables with table.NAME.growing = true."),
      choice("bit_generator", &Synthetic::bit_generator, generators,
             "Random number generator. philox: the numbers of a sample depend on run.seed and the sample only. "
             "mt19937, for reference without train.shuffle: the sequence of numpy.random.seed(run.seed) as the "
             "reference program draws it; each rank draws the whole batch."),
  };
  return single(
      "data.synthetic", "Samples generated on the fly.", keys, [](auto& d) -> auto& { return d.data.synthetic; });
}

}  // namespace

std::vector<Section> data_sections() {
  std::vector<Section> sections = {data_section(), synthetic_section()};
  for (const data::SourceType& type : data::source_types()) sections.push_back(source_section(type));
  return sections;
}

}  // namespace tesserec::deck
