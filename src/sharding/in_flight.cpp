// SPDX-License-Identifier: Apache-2.0
#include "exchange.hpp"
#include <tesserec/sharding/in_flight.hpp>

namespace tesserec::sharding {

InFlight::InFlight() = default;
InFlight::InFlight(InFlight&& other) noexcept = default;
InFlight::InFlight(std::unique_ptr<Exchange> exchange, std::shared_ptr<SpareExchanges> spare)
    : exchange_(std::move(exchange)), spare_(std::move(spare)) {}

InFlight::~InFlight() {
  if (exchange_ == nullptr) return;
  exchange_->finish(false);
  spare_->give(std::move(exchange_));
}

InFlight& InFlight::operator=(InFlight&& other) noexcept {
  std::swap(exchange_, other.exchange_);
  std::swap(spare_, other.spare_);
  return *this;
}

Index InFlight::samples() const { return exchange_->samples().size(); }
Index InFlight::global_size() const { return exchange_->split().global_size(); }
BytesSent InFlight::bytes() const { return exchange_->bytes(); }
const std::vector<embedding::AskedShard>& InFlight::asked() const { return exchange_->asked(); }

void InFlight::finish() {
  if (exchange_ != nullptr) exchange_->finish(true);
  *this = {};
}

}  // namespace tesserec::sharding
