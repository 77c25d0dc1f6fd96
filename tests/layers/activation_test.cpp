// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "catch.hpp"
#include "src/layers/activation_formulas.hpp"

using namespace tesserec;
using namespace tesserec::layers;

// Values at -1, 0.5 and 3 from the definitions, to ten digits.
TEST_CASE("Activate and ActivateBack: have the known values and slopes of each activation") {
  const std::vector<float> x{-1.0f, 0.5f, 3.0f};
  const auto check = [&](Activation activation, const std::vector<double>& y, const std::vector<double>& slope) {
    std::vector<float> found(3), gradient(3, 2.0f);
    with_formula(activation, [&]<class F>() {
      for (Index i = 0; i < 3; ++i) {
        Activate<F>{x.data(), found.data()}(i);
        ActivateBack<F>{x.data(), gradient.data()}(i);
      }
    });
    for (int i = 0; i < 3; ++i) {
      INFO(int(activation) << " at " << x[i]);
      CHECK(found[i] == Approx(y[i]).epsilon(1e-6));
      CHECK(gradient[i] == Approx(2.0 * slope[i]).epsilon(1e-6).margin(1e-6));
    }
  };
  check(Activation::sigmoid, {0.2689414214, 0.6224593312, 0.9525741268}, {0.1966119332, 0.2350037122, 0.0451766597});
  check(Activation::tanh, {-0.7615941560, 0.4621171573, 0.9950547537}, {0.4199743416, 0.7864477330, 0.0098660372});
  check(Activation::gelu, {-0.1586552539, 0.3457312306, 2.9959503059}, {-0.0833154706, 0.8674951246, 1.0119456411});
  check(Activation::swish, {-0.2689414214, 0.3112296656, 2.8577223804}, {0.0723294881, 0.7399611873, 1.0881041060});
}
