// SPDX-License-Identifier: Apache-2.0
#include "encoded_block.hpp"

namespace tesserec::preprocess {

SampleShapes sample_shapes(const Survey& survey, const Encoding& encoding) {
  using store::ElementType;
  const RowLayout& layout = encoding.layout;
  const Index rows = survey.report.rows;
  const bool targets = survey.targets == Targets::required;
  std::vector<store::DatasetShape> samples;
  const Index columns = layout.tasks.empty() ? -1 : layout.label_count();
  if (targets)
    samples.push_back({"labels", layout.optional_labels ? ElementType::f32 : ElementType::u8, rows, columns});
  samples.push_back({"dense", ElementType::f32, rows, std::ssize(encoding.transforms)});
  if (!layout.jagged()) samples.push_back({"sparse/ids", ElementType::i32, rows, std::ssize(layout.features)});
  if (targets && layout.weighted) samples.push_back({"weights", ElementType::f32, rows});
  if (targets && !layout.time.empty()) samples.push_back({"time", ElementType::i64, rows});
  for (std::size_t k = 0; k < survey.key_bytes.size(); ++k)
    samples.push_back({"keys/" + layout.keys[k], ElementType::u8, rows, survey.key_bytes[k]});
  SampleShapes shapes{{samples}, std::vector<Index>(samples.size(), -1), {}};
  for (std::size_t f = 0; layout.jagged() && f < layout.features.size(); ++f) {
    const std::string group = "sparse/" + layout.features[f];
    const FeatureForm& form = layout.forms[f];
    const Index values = survey.all_values[f];
    shapes.offsets.push_back(shapes.feature_of.size());
    shapes.groups.push_back({{group + "/offsets", ElementType::i64, rows + 1}});
    shapes.groups.push_back({{group + "/values", form.any_ids() ? ElementType::i64 : ElementType::i32, values}});
    shapes.feature_of.insert(shapes.feature_of.end(), {-1, Index(f)});
    if (!form.weighted) continue;
    shapes.groups.back().push_back({group + "/weights", ElementType::f32, values});
    shapes.feature_of.push_back(Index(f));
  }
  return shapes;
}

}  // namespace tesserec::preprocess
