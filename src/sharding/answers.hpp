// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "requests.hpp"

namespace tesserec::sharding {

/// Vectors of one batch on the samples' side. Sums become pooled vectors, and the gradients of these are copied to
/// bags.
class Answers {
 public:
  virtual ~Answers() = default;

  /// Adds the sums of bags to pooled vectors and sequences in the front of rows.out. Divides the sums of mean pooling.
  void pool(const Exec& exec, const VectorMessage& rows);
  /// Copies gradients from the front of gradients.in to bags: to gradients.out, or after the front for own shards.
  void share_gradients(const Exec& exec, const VectorMessage& gradients);

 protected:
  Answers(const Routes& routes, const Requests& requests, Place place)
      : routes_(routes), requests_(requests), place_(place), fetched_sums_(place), fetched_gradients_(place) {}

  virtual void pool_fetched(const Exec& exec, const VectorMessage& rows) = 0;
  virtual void pool_bags(const Exec& exec, const VectorMessage& rows) = 0;
  /// Divides rounded sums by the lengths of bags.
  virtual void divide(const Exec& exec, const VectorMessage& rows) = 0;
  virtual void share(const Exec& exec, const VectorMessage& gradients) = 0;
  virtual void sum_fetched(const Exec& exec, const VectorMessage& gradients) = 0;

  const Requests::Request& request_of(std::size_t route) const { return requests_.all()[route]; }
  /// Returns the float offset of the gradients of each feature whose rows are fetched.
  std::vector<Index> fetched_gradients_at(std::size_t fetch) const;
  /// Returns whether a segment's sums are divided by bag lengths as they are pooled.
  bool divides(const VectorLayout::Segment& segment) const { return segment.mean && !pooled_rounded_; }

  const Routes& routes_;
  const Requests& requests_;
  Place place_;
  PlacedVector<float> fetched_sums_, fetched_gradients_;

 private:
  bool pooled_rounded_ = false;  // sums are rounded before they are divided into means
};

/// Makes answers for vectors in the host's memory.
std::unique_ptr<Answers> answers_on_host(const Routes& routes, const Requests& requests);
/// Makes answers for vectors on a device. The host describes the additions, because it knows the ids.
std::unique_ptr<Answers> answers_on_device(const Routes& routes, const Requests& requests);

}  // namespace tesserec::sharding
