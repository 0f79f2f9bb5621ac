/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_OWN_STATION_CHECKS_H
#define MFTPUBSUB_PROTOCOLS_OWN_STATION_CHECKS_H

#include "protocols/mesh/station.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>

namespace mftpubsub::mesh
{

using PublishedEvents = std::unordered_map<EventId, EventPtr>;

/// @throws std::invalid_argument for what cannot name frames, as in Python (protocols/wire.py)
void CheckKind(std::string_view name);

/// @param nodes how many there are; 0: nobody knows
/// @throws std::out_of_range if there is no such @p node
void CheckExists(const std::string& what, NodeId node, uint16_t nodes);

/**
 * Of what a protocol's code is throwing just now: the error that says in which method, where and
 * when. To be called where an exception is handled.
 */
std::runtime_error LocateFailure(std::string_view method, NodeId node, Instant now);

/// The same, of the method that is told @p input.
std::runtime_error LocateFailure(const Station::Input& input, NodeId node, Instant now);

/// What a station of one's own in C++ answers, checked: errors say what was given, and what is
/// right. Stations in Python are checked there (protocols/given.py).
class StationChecks
{
  public:
    /// @param published so far, by all; must outlive this; null: nobody knows, as live
    /// @param nodes how many there are; 0: nobody knows, as live
    StationChecks(size_t maxFrameBytes, const PublishedEvents* published, uint16_t nodes = 0);

    /**
     * @param due NextTimer of the station after @p input
     * @throws std::invalid_argument for a frame's name, or an event that was not published like
     * this
     * @throws std::out_of_range for a copy from a node that does not exist
     * @throws std::length_error for a frame that is too large
     * @throws std::logic_error for a frame before the start
     * @throws std::runtime_error if the station gets no further
     */
    void Check(Instant now,
               const Station::Input& input,
               const Output& output,
               std::optional<Instant> due);

  private:
    void CheckFrame(const OutgoingFrame& frame) const;
    /// @return none where nobody knows
    EventPtr FindPublished(EventId event) const;
    void CheckDelivery(const Delivery& delivery) const;

    size_t m_maxFrameBytes;
    const PublishedEvents* m_published;
    uint16_t m_nodes;
    bool m_hasStarted{false};
    Instant m_expiredAt{0};
    Instant m_lag{0}; //!< of NextDue behind that time; it shrinks where a station catches up
    int m_turns{0};   //!< expiries in a row that got no further
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_OWN_STATION_CHECKS_H */
