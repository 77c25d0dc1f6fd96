// SPDX-License-Identifier: Apache-2.0
#include "table_json.hpp"

namespace tesserec::app {

Json tables_json(const std::vector<train::TableFigures>& tables) {
  Json all = Json::array();
  for (const train::TableFigures& one : tables)
    all.add(Json::object()
                .set("name", one.name)
                .set("features", one.features)
                .set("rows", one.rows)
                .set("dim", one.columns)
                .set("looked_at", one.looked_at)
                .set("trained", one.trained)
                .set("row_norm", one.row_norm)
                .set("start_norm", one.start_norm)
                .set("largest", one.largest));
  return all;
}

Json features_json(const std::vector<train::FeatureIds>& features, bool files) {
  Json all = Json::array();
  for (const train::FeatureIds& one : features) {
    Json json = Json::object().set("name", one.name).set("samples", one.samples).set("empty", one.empty);
    json.set("ids", one.ids);
    if (files) json.set("unknown", one.unknown);
    all.add(json);
  }
  return all;
}

}  // namespace tesserec::app
