#pragma once
#include "libcore/metrics/result_fields.h"
#include "tools/gnn-sample/run/train.h"

namespace frugal {
class Report;
}  // namespace frugal

namespace frugal::gnn {

/// Describes metrics of a part of the nodes, "test" or "validation", or of all, "".
void describe_node_metrics(const ResultFields& f, const std::string& part,
                           const NamedValues& values);
/// Describes those of a part of the links.
void describe_link_metrics(const ResultFields& f, const std::string& part,
                           const NamedValues& values);
/// Describes how a trained model scores pairs.
void describe_link_score(const ResultFields& f, const LinkScore& score);
/// Describes how mini-batches were packed, with --residence packed.
void describe_packs(const ResultFields& f, const TrainResult& r);

/// Figures and text of a training for --report.
void add_train_report(const TrainResult& result, const RunLog& log, Report& report);
/// Adds to the log what hw-probe's cost model reads there of the graph and the model.
void log_facts(const TrainResult& result, RunLog& log);

}  // namespace frugal::gnn
