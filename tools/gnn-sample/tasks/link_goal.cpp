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
  for (const Part part : {Part::valid, Part::test}) {
    if (split_.negatives(part).empty()) continue;
    log_info(options.links.held_out_edges, ": ", part == Part::valid ? "validation" : "test",
             " ranks ", format_count(links(part).size(), "edge"), " among ", ranking(part).among());
  }
  if (links_.train.size() < 2 * std::size_t{options.batch_size}) {
    log_warning("--batch-size ", options.batch_size, " of ", links_.train.size(),
                " edges to train with: a mini-batch does not see its own edges, a smaller one has "
                "more neighbours");
  }
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
    const std::vector<Link>& negatives = split_.negatives(part);
    if (!negatives.empty()) hash = hash_combine(hash, hash_of(negatives));
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
          {options_.links.eval_negatives, options_.seed, split_.is_read(), split_.negatives(part)}};
}

}  // namespace frugal::gnn
