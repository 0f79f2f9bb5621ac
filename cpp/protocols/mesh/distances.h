/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_DISTANCES_H
#define MFTPUBSUB_PROTOCOLS_MESH_DISTANCES_H

#include "content/id-map.h"
#include "protocols/mesh/frames.h"
#include "protocols/mesh/options.h"
#include "protocols/mesh/places.h"

#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace mftpubsub::mesh
{

/// @return how far away the sender of a frame that was heard so well is, in hops
double LinkLength(double rssiDbm, const LinkBudget& budget);

/**
 * How far away subscribers are, in hops: a link if they were heard, what others say and a link if
 * not. Distances grow with time, since everybody moves, and so do those that others say: there are
 * no loops. Where devices know where they are, distances are those to subscribers' places instead.
 */
class Distances
{
  public:
    /// @param places of subscribers; none: the device does not know where it is
    explicit Distances(const DistanceLimits& limits, std::shared_ptr<Places> places = nullptr)
        : m_limits(limits),
          m_places(std::move(places))
    {
    }

    /// @p subscriber is so many hops away.
    void Note(Instant now, NodeId subscriber, double hops);

    /// A neighbour so far away has said this.
    void Note(Instant now, const std::vector<Hint>& hints, double link);

    /// So has one that sends an event on this path.
    void NotePath(Instant now, const Path& path, double link);

    /// An event is on its way to @p subscriber: its distance is of use.
    void Seek(Instant now, NodeId subscriber);

    /// What was known of @p subscriber has led nowhere.
    void Forget(NodeId subscriber);

    /// @return the hops of who is somewhere
    double GetUnknown() const
    {
        return m_limits.unknown;
    }

    /// @return hops; GetUnknown if it is not known
    double Get(Instant now, NodeId subscriber) const;

    /// @return hops to all to whom @p claim brings an event and who are @p open
    double Get(Instant now, const Claim& claim, const IdSet& open) const;

    /// @return what a frame says of @p subscriber
    Hint Tell(Instant now, NodeId subscriber) const;

    /// @return what a frame says that brings an event to all @p subscribers
    std::vector<Claim> MakeClaims(Instant now, const IdSet& subscribers) const;

    /// @return the nearest subscribers that have been sought lately, @p most of them
    std::vector<Hint> GetNearest(Instant now, size_t most) const;

  private:
    struct Known
    {
        double hops{std::numeric_limits<double>::infinity()};
        Instant at{0};
        Instant soughtUntil{0};
    };

    double Aged(const Known& known, Instant now) const;
    void Prune(Instant now);

    DistanceLimits m_limits;
    std::shared_ptr<Places> m_places;
    IdMap<Known> m_known;
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_DISTANCES_H */
