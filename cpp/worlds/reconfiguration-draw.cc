/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "worlds/reconfiguration-draw.h"

#include "scenario/stream-random.h"
#include "scenario/streams.h"
#include "worlds/reconfiguration-policy.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mftpubsub
{

using namespace reconfiguration;

namespace
{

size_t
Share(double share, size_t count)
{
    return static_cast<size_t>(std::lround(share * static_cast<double>(count)));
}

/// Dispatcher 0 has as many children as it may, every other one less, breadth first.
std::vector<Edge>
MakeBalancedTree(const WorldOptions& options)
{
    std::vector<Edge> edges;
    NodeId parent = 0;
    size_t children = 0;
    for (NodeId node = 1; node < options.dispatchers; ++node)
    {
        if (children == options.degree - (parent == 0 ? size_t{0} : size_t{1}))
        {
            ++parent;
            children = 0;
        }
        edges.emplace_back(parent, node);
        ++children;
    }
    return edges;
}

/// Each dispatcher joins an earlier one, drawn uniformly from those with a free place.
std::vector<Edge>
DrawTree(const WorldOptions& options)
{
    StreamRandom random(STREAM_OVERLAY_TREE);
    std::vector<Edge> edges;
    std::vector<NodeId> open{0};
    std::vector<size_t> links(options.dispatchers);
    const auto join = [&](NodeId node) {
        if (++links[node] == options.degree)
        {
            std::erase(open, node);
        }
    };
    for (NodeId node = 1; node < options.dispatchers; ++node)
    {
        const auto parent = random.Of(open);
        edges.emplace_back(parent, node);
        open.push_back(node);
        join(parent);
        join(node);
    }
    return edges;
}

/// Identifiers are a random permutation: the lower end of a link is no more often the inner one.
Forest
MakeTree(const WorldOptions& options)
{
    StreamRandom random(STREAM_OVERLAY_IDS);
    const auto ids = random.Distinct<NodeId>(options.dispatchers, options.dispatchers);
    Forest tree(options.dispatchers);
    for (const auto& [parent, child] :
         options.isBalanced ? MakeBalancedTree(options) : DrawTree(options))
    {
        tree.Add(ids[parent], ids[child]);
    }
    return tree;
}

/// The core is drawn first; subscribers are the same share of it and of the others.
void
DrawSubscriptions(const WorldOptions& options, ReconfigurationWorld& world)
{
    StreamRandom random(STREAM_OVERLAY_SUBSCRIPTIONS);
    const size_t count = options.dispatchers;
    const auto order = random.Distinct<NodeId>(count, count);
    const auto core = Share(options.core, count);
    world.wanted.resize(count);
    world.isCore.resize(count);
    for (size_t place = 0; place < count; ++place)
    {
        const bool isCore = place < core;
        const auto rank = isCore ? place : place - core;
        const auto subscribers = Share(options.subscribers, isCore ? core : count - core);
        world.isCore[order[place]] = isCore;
        if (rank < subscribers)
        {
            auto patterns = random.Distinct<Pattern>(options.patternsPerClient, options.patterns);
            std::sort(patterns.begin(), patterns.end());
            world.wanted[order[place]] = std::move(patterns);
        }
    }
}

/// Each subscriber outside of the core gives one pattern up for another, again and again.
void
DrawSwaps(const WorldOptions& options, ReconfigurationWorld& world)
{
    if (options.swapHz == 0 || options.patternsPerClient == options.patterns)
    {
        return;
    }
    StreamRandom random(STREAM_OVERLAY_SWAPS);
    for (NodeId node = 0; node < options.dispatchers; ++node)
    {
        auto wanted = world.isCore[node] ? Patterns() : world.wanted[node];
        auto at = wanted.empty() ? options.seconds : random.Exponential(options.swapHz);
        for (; at < options.seconds; at += random.Exponential(options.swapHz))
        {
            auto& given = wanted[random.Below(wanted.size())];
            auto taken = given;
            while (std::find(wanted.begin(), wanted.end(), taken) != wanted.end())
            {
                taken = static_cast<Pattern>(random.Below(options.patterns));
            }
            world.swaps.push_back({at, node, given, false});
            world.swaps.push_back({at, node, taken, true});
            given = taken;
        }
    }
    std::stable_sort(
        world.swaps.begin(),
        world.swaps.end(),
        [](const auto& one, const auto& other) { return one.seconds < other.seconds; });
}

void
DrawPublications(const WorldOptions& options, ReconfigurationWorld& world)
{
    if (options.publishHz == 0)
    {
        return;
    }
    StreamRandom random(STREAM_OVERLAY_PUBLICATIONS);
    const auto hertz = options.publishHz * options.dispatchers;
    for (auto at = random.Exponential(hertz); at < options.seconds; at += random.Exponential(hertz))
    {
        ReconfigurationWorld::Publishing published{
            at,
            static_cast<NodeId>(random.Below(options.dispatchers)),
            {}};
        auto& patterns = published.patterns;
        for (size_t count = 0; count < options.characters; ++count)
        {
            patterns.push_back(static_cast<Pattern>(random.Below(options.patterns)));
        }
        std::sort(patterns.begin(), patterns.end());
        patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
        world.publications.push_back(std::move(published));
    }
}

} // namespace

ReconfigurationWorld
DrawWorld(const WorldOptions& options)
{
    ReconfigurationWorld world;
    world.tree = MakeTree(options);
    DrawSubscriptions(options, world);
    world.changes = DrawChanges(world.tree, options);
    DrawSwaps(options, world);
    DrawPublications(options, world);
    return world;
}

} // namespace mftpubsub
