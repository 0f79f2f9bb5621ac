/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_PLACES_H
#define MFTPUBSUB_PROTOCOLS_MESH_PLACES_H

#include "content/id-map.h"
#include "content/id-set.h"
#include "protocols/mesh/branches.h"
#include "protocols/mesh/frames.h"
#include "protocols/mesh/options.h"

#include <functional>
#include <optional>
#include <vector>

namespace mftpubsub::mesh
{

/// @return @p options with the limits of devices that know where they are, and with room in frames
/// for what these say of it
Options WithPlaces(Options options);

/**
 * Where nodes were when they were last heard, here or by others, for a device that knows its own
 * position. The newest place counts, wherever it is. Distances to subscribers are those to their
 * places: so all who know the same place agree on who is nearer.
 */
class Places
{
  public:
    /// Where the device is just now; none if it does not know.
    using Locate = std::function<std::optional<Position>()>;

    /// @param hopMetres the length of a good link
    Places(const PlaceLimits& limits, double hopMetres, Locate locate);

    /// @return where the device is; none if it does not know
    std::optional<Spot> GetHere() const;

    /// @p from is there, and has said this.
    void Hear(Instant now, NodeId from, const Whereabouts& where);

    /// The place of @p subscriber is of use until then.
    void Seek(Instant until, NodeId subscriber);

    /// What was known of @p subscriber has led nowhere.
    void Forget(NodeId subscriber);

    /// @return hops from here to the place of @p subscriber; none if one of them is not known
    std::optional<double> GetHops(NodeId subscriber) const;

    /// @return hops from here to the first to whom @p claim brings an event, and on to the others,
    /// those who are not @p open left out
    std::optional<double> GetHops(const Claim& claim, const IdSet& open) const;

    /// @return what who is at @p from says that brings an event to all @p subscribers
    std::vector<Claim> MakeClaims(const Spot& from, const IdSet& subscribers) const;

    /// @return what @p publisher would say, where it was; empty, if that is not known
    std::vector<Claim> MakeClaims(NodeId publisher, const IdSet& subscribers, bool isOpen) const;

    /// Distances that @p frame says of its sender become those to the places that are known here.
    void Measure(Frame& frame) const;

    /// @return what a frame says beside its @p body, in so much @p room; none if the device does
    /// not know where it is
    std::optional<Whereabouts> Tell(Instant now, const Body& body, size_t room);

  private:
    struct Known
    {
        std::optional<Spot> spot;
        Instant at{0};
        Instant soughtUntil{0};
        std::optional<Spot> told{}; //!< as frames have said it ...
        Instant toldAt{0};          //!< ... then
    };

    void Note(Instant at, NodeId node, const Spot& spot);
    void Prune(Instant now);
    bool IsNews(Instant now, const Known& known, const Spot& here) const;
    const Spot* Find(NodeId node) const;
    std::vector<Spot> GetSpots(const Claim& claim, const IdSet* open = nullptr) const;
    std::optional<double> GetHops(const Spot& from, const Claim& claim, const IdSet& open) const;
    void Measure(const Spot& from, bool isOpen, Claim& claim) const;
    bool IsAside(const Spot& from, const Spot& to) const;

    PlaceLimits m_limits;
    double m_hopMetres;
    Locate m_locate;
    IdMap<Known> m_known;
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_PLACES_H */
