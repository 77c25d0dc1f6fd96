// SPDX-License-Identifier: Apache-2.0
#include <tesserec/app.hpp>

int main(int argc, char** argv) { return tesserec::app::run(argc, argv); }
