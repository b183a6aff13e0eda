#pragma once

// What most programs need: models, data, estimators, training, samples, likelihoods, files. If you need only the interfaces,
// include their headers one by one.

#include <harmonium/estimators/log_partition/exact.hpp>
#include <harmonium/framework/data/dataset.hpp>
#include <harmonium/framework/data/generators.hpp>
#include <harmonium/framework/files/npy.hpp>
#include <harmonium/framework/files/table.hpp>
#include <harmonium/framework/inference/evaluation.hpp>
#include <harmonium/framework/inference/pseudo_likelihood.hpp>
#include <harmonium/framework/training/adam.hpp>
#include <harmonium/framework/training/initializer.hpp>
#include <harmonium/framework/training/sgd.hpp>
#include <harmonium/framework/run/train.hpp>
#include <harmonium/models/presets.hpp>
#include <harmonium/models/units/binary.hpp>
#include <harmonium/models/units/categorical.hpp>
#include <harmonium/models/units/gaussian.hpp>
#include <harmonium/models/units/levels.hpp>
#include <harmonium/models/units/spin.hpp>
#include <harmonium/plugins/builtin/components.hpp>
#include <harmonium/plugins/builtin/estimators.hpp>
#include <harmonium/plugins/builtin/inference.hpp>
#include <harmonium/plugins/builtin/model_files.hpp>
#include <harmonium/samplers/gibbs.hpp>
