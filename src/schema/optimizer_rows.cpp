// SPDX-License-Identifier: Apache-2.0
// Keys of [optimizer.dense], [optimizer.sparse] and a table's own optimizer.
#include <tesserec/core/text.hpp>
#include <tesserec/schema/model_rows.hpp>

namespace tesserec::schema {
namespace {

using Optimizer = optim::Settings;
using Types = std::vector<optim::TypeInfo>;

/// Lists the types that read a key, as "sgd, adam".
std::string readers(const Types& types, const std::string& key) {
  Types readers_of;
  std::copy_if(types.begin(), types.end(), std::back_inserter(readers_of),
               [&](const optim::TypeInfo& type) { return type.reads(key); });
  return join(readers_of, ", ", &optim::TypeInfo::name);
}

Key<Optimizer> shared_number(const char* name, double Optimizer::*member, const Types& types, Numbers range,
                             const std::string& sentence) {
  return number(name, member, range, "", readers(types, name) + ": " + sentence);
}

}  // namespace

Keys<Optimizer> optimizer_keys(const Types& types) {
  const Choices<optim::Decay> decays = {{"l2", optim::Decay::l2}, {"decoupled", optim::Decay::decoupled}};
  Choices<optim::Type> names;
  std::string texts = "Update rule.";
  for (const optim::TypeInfo& type : types) {
    names.emplace_back(type.name, type.type);
    texts += " " + type.name + ": " + type.text;
  }
  Keys<Optimizer> keys = {
      choice("type", &Optimizer::type, names, texts),
      number("lr", &Optimizer::lr, {.min_magnitude = 1e-30}, "", "Base learning rate; [schedule] scales it."),
      shared_number("eps", &Optimizer::eps, types, {0.0, 1e6}, "term added to the root in the denominator."),
      shared_number("beta1", &Optimizer::beta1, types, {0.0, 1.0, true},
                    "decay of the mean gradient per step; lion: weight of the mean gradient in the update."),
      shared_number("beta2", &Optimizer::beta2, types, {0.0, 1.0, true},
                    "decay of the mean squared gradient per step; lion: decay of the mean gradient."),
      number("max_gradient", &Optimizer::max_gradient, {.min_magnitude = 1e-30}, "",
             "Largest magnitude of a number in a gradient summed over the batch; larger ones are clipped. 0 means no "
             "limit."),
      number("weight_decay", &Optimizer::weight_decay, {}, "",
             "Coefficient of weight decay, whose kind is decay; 0 means none."),
      choice(
          "decay", &Optimizer::decay, decays,
          "Kind of weight decay. l2: adds weight_decay * w to the gradient. decoupled: subtracts lr * weight_decay * w "
          "from the weight (lamb, partial_rowwise_lamb: adds weight_decay * w to the update before its trust ratio)."),
      shared_number("initial_accumulator", &Optimizer::initial_accumulator, types, {0.0, 1e6},
                    "start value of the sums."),
  };
  // These newer keys are refused for types that do not read them. A deck's type is read before these keys.
  const auto add = [&](const char* name, double Optimizer::*member, Numbers range, const std::string& sentence) {
    if (readers(types, name).empty()) return;
    keys.push_back(of_some(
        shared_number(name, member, types, range, sentence),
        [=](const Optimizer& o) { return optim::info(o.type).reads(name); },
        [=, readers = readers(types, name)](const Optimizer& o) {
          return "does not apply to type = " + quoted(optim::info(o.type).name) + "; it applies to " + readers;
        }));
  };
  add("momentum", &Optimizer::momentum, {0.0, 1.0, true}, "decay of the velocity per step.");
  add("eta", &Optimizer::eta, {}, "trust coefficient.");
  add("ar_alpha", &Optimizer::ar_alpha, {}, "shrinkage of a row per step since its last touch, as a multiple of lr.");
  add("min_shrinkage", &Optimizer::min_shrinkage, {0.0, 1.0}, "smallest factor by which a row shrinks in one step.");
  return keys;
}

}  // namespace tesserec::schema
