// SPDX-License-Identifier: Apache-2.0
// Every umbrella header, and a symbol of the topmost library.
#include <iostream>

#include <tesserec/comm.hpp>
#include <tesserec/core.hpp>
#include <tesserec/data.hpp>
#include <tesserec/deck.hpp>
#include <tesserec/dense.hpp>
#include <tesserec/embedding.hpp>
#include <tesserec/jagged.hpp>
#include <tesserec/metrics.hpp>
#include <tesserec/model.hpp>
#include <tesserec/optim.hpp>
#include <tesserec/sharding.hpp>
#include <tesserec/store.hpp>
#include <tesserec/train.hpp>

int main() { std::cout << tesserec::deck::schema().size() << " blocks\n"; }
