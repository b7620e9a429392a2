#include "tools/gnn-sample/tasks/link_goal.h"

#include "libcore/base/error.h"
#include "libcore/base/hash.h"
#include "libcore/base/log.h"
#include "libcore/base/text.h"
#include "tools/gnn-sample/settings/train_options.h"

namespace frugal::gnn {
namespace {

constexpr std::uint64_t kMaxLinks = std::uint64_t{1} << 26;

LinkSplit split_of(const LinkRelation& relation, const TrainOptions& options) {
  const LinkTaskOptions& links = options.links;
  return links.held_out_edges.empty() ? LinkSplit(links.held_out, options.seed)
                                      : LinkSplit::read(links.held_out_edges, relation);
}

std::uint64_t hash_of(const std::vector<Link>& links) {
  return hash_bytes(links.data(), links.size() * sizeof(Link));
}

}  // namespace

LinkGoal::LinkGoal(const LinkRelation& relation, const TrainOptions& options)
    : relation_(relation),
      options_(options),
      split_(split_of(relation_, options)),
      links_(relation_, split_) {
  check();
  say_negatives();
  if (links_.train.size() < 2 * std::size_t{options.batch_size}) {
    log_warning("--batch-size ", options.batch_size, " of ", links_.train.size(),
                " edges to train with: a mini-batch does not see its own edges, a smaller one has "
                "more neighbours");
  }
}

/// Says what edges are ranked among, if negatives are given.
void LinkGoal::say_negatives() const {
  const auto say = [this](Part part, const auto& log) {
    if (links(part).empty()) return;
    log(options_.links.held_out_edges, ": ", part == Part::valid ? "validation" : "test",
        " ranks each edge among ", ranking(part).among());
  };
  const bool valid = is_given(Part::valid), test = is_given(Part::test);
  if (valid) say(Part::valid, [](const auto&... parts) { log_info(parts...); });
  if (test) say(Part::test, [](const auto&... parts) { log_info(parts...); });
  const auto warn = [](const auto&... parts) { log_warning(parts..., ", as none are given"); };
  if (valid && !test) say(Part::test, warn);
  if (test && !valid) say(Part::valid, warn);
}

void LinkGoal::write() const {
  const std::string& path = options_.links.write_held_out;
  if (!path.empty()) write_held_out(path, relation_, split_, links_);
}

void LinkGoal::check() const {
  if (links_.train.empty()) {
    fail(ExitStatus::bad_input, relation_.place(), ": there are no edges to train on");
  }
  const std::uint64_t nodes = relation_.targets().size, least = relation_.one_type() ? 3 : 2;
  if (nodes < least) {
    const std::string& type = relation_.targets().type;
    fail(ExitStatus::bad_input, relation_.graph().path(), ": there are ", nodes, " nodes",
         type.empty() ? "" : " of type " + printable(type), ", expected at least ", least,
         ", one that is not of the link");
  }
  if (max_seeds() == 0) {
    fail(ExitStatus::usage, "--batch-size ", options_.batch_size, " with --negatives ",
         options_.links.negatives, " makes more than ", kMaxLinks, " seeds");
  }
  if (options_.sampling.method != "uniform") {
    fail(ExitStatus::usage, "--task links goes with --method uniform alone, found ",
         options_.sampling.method);
  }
}

std::string LinkGoal::fingerprint() const {
  if (!split_.is_read()) return "";
  std::uint64_t hash = hash_combine(hash_of(links_.valid), hash_of(links_.test));
  for (const Part part : {Part::valid, Part::test}) {
    const GivenNegatives& negatives = split_.negatives(part);
    if (is_given(part))
      hash = hash_combine(hash_combine(hash, negatives.shared), hash_of(negatives.pairs));
  }
  return std::to_string(hash);
}

NegativeLinkOptions LinkGoal::negatives() const {
  NegativeLinkOptions negatives;
  negatives.per_link = options_.links.negatives;
  return negatives;
}

std::uint32_t LinkGoal::max_seeds() const {
  const std::uint64_t seeds = LinkBatches::max_seeds(options_.batch_size, negatives());
  return seeds > kMaxLinks ? 0 : static_cast<std::uint32_t>(seeds);
}

LinkList LinkGoal::training_list() const {
  LinkList list;
  list.links = links_.train;
  list.either_way = relation_.either_way();
  list.two_types = !relation_.one_type();
  return list;
}

LinkRanking LinkGoal::ranking(Part part) const {
  return {relation_,
          links(part),
          part,
          {options_.links.eval_negatives, options_.seed, split_.is_read(),
           is_given(part) ? &split_.negatives(part) : nullptr}};
}

}  // namespace frugal::gnn
