/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_GATHERING_H
#define MFTPUBSUB_PROTOCOLS_MESH_GATHERING_H

#include "protocols/mesh/speaker.h"

#include <deque>
#include <vector>

namespace mftpubsub::mesh
{

/// Whether a publisher gathers its new events for blocks, and until when: as a state machine
/// without I/O.
class Gathering
{
  public:
    explicit Gathering(const Context& context)
        : m_context(context)
    {
    }

    /// An event is published. @return when it goes at the latest; now, if it goes alone
    Instant Publish(Instant now, const EventPtr& event);

    /// @return whether there is more than others carry as they are
    bool IsGathering(Instant now) const;

    /// @return those of @p fresh, the first ones, that go as a block now; none if all go alone
    std::vector<EventPtr> ChooseBlock(Instant now, std::vector<EventPtr> fresh) const;

    /// @return those of @p events, the first ones, that a block has room for
    std::vector<EventPtr> Fit(const std::vector<EventPtr>& events) const;

    /// The event of this @p id goes, alone or in a block, or need not go any more.
    void Went(EventId id)
    {
        std::erase_if(m_gathered, [id](const EventPtr& event) { return event->id == id; });
    }

  private:
    bool IsLong(const Event& event) const;
    size_t GetMost() const;

    const Context& m_context;
    std::deque<Instant> m_published; //!< when, of late
    std::vector<EventPtr> m_gathered;
    Instant m_until{0};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_GATHERING_H */
