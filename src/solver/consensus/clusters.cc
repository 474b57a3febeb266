// SPDX-License-Identifier: Apache-2.0
#include "solver/consensus/clusters.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <queue>
#include <tuple>
#include <utility>

#include "linalg/blas.h"

namespace orthodict::solver {
namespace {

using linalg::multiply;
using linalg::Op;

// Agglomerates the atoms of all runs. Atom a of run r has the number r·k + a, and so has the cluster that it begins
// with; clusters that are joined get new numbers.
class Agglomeration {
 public:
  Agglomeration(const std::vector<Matrix<double>>& runs, const linalg::ForEach& for_each)
      : runs_(runs), k_(runs.front().rows()), all_similarities_(Vector<double>::Zero(atoms())) {
    compare_all(for_each);
    while (!queue_.empty()) {
      const auto [similarity, minus_one, minus_other] = queue_.top();
      queue_.pop();
      if (is_current(-minus_one) && is_current(-minus_other)) join(-minus_one, -minus_other);
    }
  }

  [[nodiscard]] Clusters best(Index most) const {
    std::vector<Described> described;
    for (const Cluster& cluster : clusters_) {
      if (cluster.current) described.push_back(describe(cluster));
    }
    const auto quality = [](const Described& cluster) { return cluster.found * std::max(cluster.stability, 0.0); };
    std::stable_sort(described.begin(), described.end(), [&](const Described& one, const Described& other) {
      return std::tuple(-quality(one), one.versions.front()) < std::tuple(-quality(other), other.versions.front());
    });
    Clusters best{.centres = Matrix<double>(most, runs_.front().cols()),
                  .stability = Vector<double>(most),
                  .found = Vector<double>(most)};
    for (Index i = 0; i < most; ++i) {
      Described& cluster = described[static_cast<std::size_t>(i)];
      best.centres.row(i) = cluster.centre;
      best.stability[i] = cluster.stability;
      best.found[i] = cluster.found;
      best.versions.push_back(std::move(cluster.versions));
    }
    return best;
  }

 private:
  struct Cluster {
    Vector<double> sum = {};          // of its atoms, with signs that fit together
    std::vector<Index> members = {};  // numbers of atoms, in rising order
    std::vector<Index> near = {};  // clusters with an atom similar to one of these, some of them joined by now; of one
                                   // that is joined itself, the cluster it is part of
    bool current = true;
  };
  struct Described {
    Eigen::RowVectorXd centre;
    double stability;
    double found;
    std::vector<Index> versions;
  };
  using Pair = std::tuple<double, Index, Index>;  // similarity, and −numbers: of equal pairs the first comes first

  [[nodiscard]] Index atoms() const { return static_cast<Index>(runs_.size()) * k_; }
  [[nodiscard]] Cluster& at(Index number) { return clusters_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] bool is_current(Index number) { return at(number).current; }

  void compare_all(const linalg::ForEach& for_each) {
    clusters_.resize(static_cast<std::size_t>(atoms()));
    for_each(static_cast<Index>(runs_.size()), [&](Index run) { compare(run); });
    for (Index i = 0; i < atoms(); ++i) {
      for (const Index j : at(i).near) {
        if (i < j) consider(i, j);
      }
    }
  }

  // Compares the atoms of a run with those of all runs.
  void compare(Index run) {
    const Matrix<double>& own = runs_[static_cast<std::size_t>(run)];
    for (Index a = 0; a < k_; ++a) {
      at(run * k_ + a).sum = own.row(a);
      at(run * k_ + a).members = {run * k_ + a};
    }
    for (Index other = 0; other < static_cast<Index>(runs_.size()); ++other) {
      const Matrix<double> near = similarities(own, runs_[static_cast<std::size_t>(other)]);
      all_similarities_.segment(run * k_, k_) += near.rowwise().sum();
      for (Index b = 0; b < k_ && other != run; ++b) {
        for (Index a = 0; a < k_; ++a) {
          if (near(a, b) >= kSimilar) at(run * k_ + a).near.push_back(other * k_ + b);
        }
      }
    }
  }

  [[nodiscard]] bool share_a_run(const Cluster& one, const Cluster& other) const {
    auto i = one.members.begin(), j = other.members.begin();
    while (i != one.members.end() && j != other.members.end()) {
      if (*i / k_ == *j / k_) return true;
      ++(*i / k_ < *j / k_ ? i : j);
    }
    return false;
  }

  // The size of the mean cosine of their pairs, with the signs that the atoms have in their clusters. It is at most the
  // mean |cosine|, and equal to it where all signs fit together.
  void consider(Index one, Index other) {
    const Cluster &a = at(one), &b = at(other);
    const double similarity = std::abs(a.sum.dot(b.sum)) / static_cast<double>(a.members.size() * b.members.size());
    if (similarity >= kSimilar) queue_.emplace(similarity, -one, -other);
  }

  void join(Index one, Index other) {
    Cluster joined;
    for (const Index part : {one, other}) {
      Cluster& from = at(part);
      joined.near.insert(joined.near.end(), from.near.begin(), from.near.end());
      const auto middle = static_cast<std::ptrdiff_t>(joined.members.size());
      joined.members.insert(joined.members.end(), from.members.begin(), from.members.end());
      std::inplace_merge(joined.members.begin(), joined.members.begin() + middle, joined.members.end());
      from.current = false;
    }
    const double sign = at(one).sum.dot(at(other).sum) < 0 ? -1 : 1;
    joined.sum = at(one).sum + sign * at(other).sum;
    const auto number = static_cast<Index>(clusters_.size());
    for (const Index part : {one, other}) at(part) = Cluster{.near = {number}, .current = false};
    clusters_.push_back(std::move(joined));
    look_around(number);
  }

  // The cluster that this one was joined into.
  [[nodiscard]] Index current(Index number) {
    while (!is_current(number)) number = at(number).near.front();
    return number;
  }

  // Neighbours that share a run with the cluster will always do.
  void look_around(Index number) {
    std::vector<Index> near;
    for (const Index neighbour : at(number).near) near.push_back(current(neighbour));
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    std::erase_if(near, [&](Index neighbour) { return share_a_run(at(number), at(neighbour)); });
    at(number).near = near;
    for (const Index neighbour : near) {
      at(neighbour).near.push_back(number);
      consider(neighbour, number);
    }
  }

  [[nodiscard]] Described describe(const Cluster& cluster) const {
    const auto size = static_cast<Index>(cluster.members.size());
    Matrix<double> versions(size, runs_.front().cols());
    double all = 0;
    for (Index i = 0; i < size; ++i) {
      const Index member = cluster.members[static_cast<std::size_t>(i)];
      versions.row(i) = runs_[static_cast<std::size_t>(member / k_)].row(member % k_);
      all += all_similarities_[member];
    }
    const double within = similarities(versions, versions).sum();
    const auto count = static_cast<double>(size), others = static_cast<double>(atoms() - size);
    const double outside = others > 0 ? (all - within) / (count * others) : 0;
    const double stability = size > 1 ? (within - count) / (count * (count - 1)) - outside : 0;
    return {.centre = cluster.sum.normalized(),
            .stability = stability,
            .found = count / static_cast<double>(runs_.size()),
            .versions = cluster.members};
  }

  const std::vector<Matrix<double>>& runs_;
  Index k_;
  Vector<double> all_similarities_;  // of each atom to all atoms of all runs, summed
  std::vector<Cluster> clusters_;
  std::priority_queue<Pair> queue_;
};

}  // namespace

Matrix<double> similarities(const Matrix<double>& one, const Matrix<double>& other) {
  return multiply(one, Op::kNone, other, Op::kTranspose).cwiseAbs();
}

Clusters cluster_atoms(const std::vector<Matrix<double>>& runs, Index most, const linalg::ForEach& for_each) {
  return Agglomeration(runs, for_each).best(most);
}

Matrix<double> with_lengths_of_versions(const Clusters& clusters, const std::vector<Matrix<double>>& runs) {
  const Index k = runs.front().rows();
  Matrix<double> rows = clusters.centres;
  for (Index i = 0; i < rows.rows(); ++i) {
    const std::vector<Index>& versions = clusters.versions[static_cast<std::size_t>(i)];
    double total = 0;
    for (const Index version : versions) total += runs[static_cast<std::size_t>(version / k)].row(version % k).norm();
    rows.row(i) *= total / static_cast<double>(versions.size());
  }
  return rows;
}

}  // namespace orthodict::solver
