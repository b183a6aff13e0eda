#pragma once

#include <array>
#include <cmath>

#include <harmonium/framework/core/types.hpp>

/// Figures of two small machines by an independent enumeration in double precision. Their parameters are closed
/// formulas, so that no stream of random numbers is shared. The data is Diag_4: rows 1^k 0^(4-k), k = 0 … 4.
namespace harmonium::testing::golden {

inline constexpr Index num_visible = 4, num_hidden = 3, num_rows = 5, num_parameters = 4 + 3 + 4 * 3;

inline double weight(Index j, Index i) {
  return std::sin(1.0 + 3.0 * static_cast<double>(i) + 7.0 * static_cast<double>(j));
}
inline double visible_bias(Index j) { return 0.3 * std::cos(2.0 + static_cast<double>(j)); }
inline double hidden_bias(Index i) { return 0.2 * std::sin(5.0 + static_cast<double>(i)); }
/// Of the general machine, for j < k.
inline double visible_lateral(Index j, Index k) {
  return 0.5 * std::sin(11.0 + 2.0 * static_cast<double>(j) + 5.0 * static_cast<double>(k));
}
inline double hidden_lateral(Index j, Index k) {
  return 0.5 * std::cos(13.0 + 3.0 * static_cast<double>(j) + 2.0 * static_cast<double>(k));
}

namespace rbm {

inline constexpr double log_z = 6.2631326303975525;
using Rows = std::array<double, num_rows>;
inline constexpr Rows log_likelihood{-4.234688835785523, -3.787842239726523, -2.782317158460829, -1.73479547802948,
                                     -1.412031708649054};
inline constexpr Rows free_energy{-2.0284437946120293, -2.4752903906710295, -3.4808154719367237, -4.528337152368072,
                                  -4.851100921748499};
inline constexpr Rows log_pseudo_likelihood{-3.630388337939992, -3.758767090062282, -2.8515971093397123,
                                            -1.6887689692474286, -1.3465995861086002};

/// Reconstruction errors of each row: stochastic, Σ_h P(h | x) of −log P(x | h), and mean-field, −log P(x | E[h | x]).
inline constexpr Rows stochastic_reconstruction_error{3.3655703538914397, 3.5320200451981165, 2.7729940314287567,
                                                      1.6658883122232668, 1.326761535480276};
inline constexpr Rows reconstruction_error{3.176425529006873, 3.3757715508823964, 2.6907548205385026,
                                           1.6222970240695318, 1.2876147152320083};

/// Directions of ascent of the mean log likelihood: visible biases, hidden biases, weights (visible × hidden).
using Gradient = std::array<double, num_parameters>;
inline constexpr Gradient exact{0.07282997913871432,  -0.15799208855852562, -0.31454260859808764, -0.37326167009264266,
                                -0.06372387419461141, 0.07264531384914905,  -0.08232693538785148, 0.03872306714722991,
                                0.036369910664251846, 0.03108308069292327,  -0.1211762543870103,  -0.024027322958770272,
                                -0.14048600004926245, -0.24419476708932542, -0.05117028881686235, -0.27116512770514223,
                                -0.28700904380015574, -0.06374577218300119, -0.318852075747402};
/// What the contrastive divergences estimate, by powers of the exact transition matrix.
struct Expected {
  Index steps;
  Gradient gradient;
};
inline constexpr std::array<Expected, 4> contrastive_divergence{{
    {1,
     {0.10850605160670812, -0.11270968328103606, -0.2777572510931726, -0.3655121874972869, -0.0467252744477442,
      0.057949601521710546, -0.06868474815939438, 0.07404631408002132, 0.036076337588568916, 0.06731284699922442,
      -0.07899324485307493, -0.021970375521717593, -0.09696671681666598, -0.20775349214882172, -0.051157463545331516,
      -0.2344527531774328, -0.27176881241447637, -0.07006866686921358, -0.3054959472529049}},
    {2,
     {0.08022089762055795, -0.14886360818900013, -0.30720685554967364, -0.3719058823210879, -0.06034595472295273,
      0.06975067414660234, -0.07965267670507443, 0.04608915030095264, 0.03627228345793016, 0.038620958504518056,
      -0.11257727309264336, -0.023684885414638125, -0.13165066523301963, -0.2367997323243765, -0.05126119107730879,
      -0.2637675745980064, -0.28408653353087704, -0.06505141104392151, -0.31634466817850193}},
    {5,
     {0.072886047670113, -0.1579229407358679, -0.31448700826502335, -0.37325142548599227, -0.06369833446661763,
      0.07262344567730956, -0.08230673847034445, 0.038779013768559877, 0.03636911447873368, 0.0311403170184259,
      -0.12111103184605634, -0.024024796588210176, -0.1404190119595884, -0.24413862823320098, -0.05117104379483428,
      -0.271109003832568, -0.2869869209903086, -0.06375566100916877, -0.3188331122329985}},
    {10,
     {0.07282999543344768, -0.15799206846269934, -0.31454259243943217, -0.37326166711534403, -0.06372386677224226,
      0.07264530749381634, -0.08232692951822071, 0.03872308340656037, 0.036369910432840574, 0.03108309732706458,
      -0.12117623543192138, -0.02402732222457941, -0.14048598058107684, -0.2441947507741306, -0.051170289036299645,
      -0.27116511139431465, -0.2870090373707971, -0.06374577505690217, -0.31885207023620654}},
}};

/// The largest sums of the sizes of a unit's bias and weights: of a visible unit, of a hidden one.
inline constexpr double alpha = 3.276953557849089, beta = 2.8865527010013423;
/// Over all weights and rows: the mean of |δ_k|, the median of |δ_k / Δ|, the share of other signs; and three bounds of
/// |δ_k|, by α and β, by the product over all units, and by the smallest entry of the transition matrix.
struct Bias {
  Index steps;
  double delta, r, s, bound, product_bound, matrix_bound;
};
inline constexpr std::array<Bias, 4> bias{{
    {1, 0.04080993625820394, 0.11854264788430273, 0.0, 15.99999947183231, 15.999958858506824, 14.259837447529375},
    {2, 0.00810844949600758, 0.02160148361784022, 0.0, 15.99999894366464, 15.999917717119438, 12.708935251872568},
    {5, 6.133728047270567e-05, 0.00016361795365134175, 0.0, 15.999997359161728, 15.999794293592007, 8.996901044829526},
    {10, 1.7825884746081046e-08, 4.7551133015241795e-08, 0.0, 15.999994718323894, 15.99958858982871, 5.059014275653413},
}};

}  // namespace rbm

/// The general machine: the same weights and biases, and lateral couplings in both layers.
namespace general {

inline constexpr double log_z = 6.122069743517693;
inline constexpr rbm::Rows log_likelihood{-4.142566841903427, -3.731341700802309, -2.898554297033444,
                                          -1.8672017598415138, -1.5223077032817685};
inline constexpr rbm::Gradient exact{
    0.016111894315361086, -0.09293388372438893, -0.25226522399329937,   -0.3879307618132495,  -0.06073250185749379,
    0.06440775445757033,  -0.07094069041173601, -0.0015953826843160268, 0.020827067878084388, -0.012341056048481791,
    -0.05974820162514716, -0.01814471550730353, -0.07875755300326315,   -0.18050203587655628, -0.04339893697318138,
    -0.20974177933829158, -0.28190926054030596, -0.06559322850470709,   -0.32400921052530307};
/// Of the lateral couplings, for j < k in the order of the rows.
inline constexpr std::array<double, 6> visible_lateral_gradient{0.04801070464602786,  -0.1363197102974784,
                                                                -0.27559678989160674, -0.048370465430306375,
                                                                -0.21804982532176492, -0.16147376448311856};
inline constexpr std::array<double, 3> hidden_lateral_gradient{0.015607522155874631, -0.08548820123060308,
                                                               0.026797847458369328};

}  // namespace general
}  // namespace harmonium::testing::golden
