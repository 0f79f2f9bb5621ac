/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "protocols/mesh/branches.h"

#include <algorithm>

namespace mftpubsub::mesh
{

namespace
{

/// A spot that is not in the tree yet.
struct Outside
{
    size_t spot{0};
    double metres{0}; //!< to the nearest in the tree ...
    size_t branch{0}; //!< ... and the branch of this, ...
    bool isNew{true}; //!< ... unless it is the root
};

} // namespace

/// Prim's algorithm: the nearest spot outside joins the tree.
std::vector<Branch>
GetBranches(const Spot& root, const std::vector<Spot>& spots)
{
    std::vector<Outside> outside;
    for (size_t i = 0; i < spots.size(); ++i)
    {
        outside.push_back({i, GetDistance(root, spots[i])});
    }
    std::vector<Branch> branches;
    while (!outside.empty())
    {
        const auto next = std::ranges::min_element(outside, {}, &Outside::metres);
        auto joined = *next;
        outside.erase(next);
        if (joined.isNew)
        {
            joined.branch = branches.size();
            branches.emplace_back();
        }
        branches[joined.branch].spots.push_back(joined.spot);
        branches[joined.branch].metres += joined.metres;
        for (auto& other : outside)
        {
            const auto metres = GetDistance(spots[joined.spot], spots[other.spot]);
            if (metres < other.metres)
            {
                other = {other.spot, metres, joined.branch, false};
            }
        }
    }
    return branches;
}

double
GetTreeMetres(const Spot& root, const std::vector<Spot>& spots)
{
    auto metres = 0.0;
    for (const auto& branch : GetBranches(root, spots))
    {
        metres += branch.metres;
    }
    return metres;
}

} // namespace mftpubsub::mesh
