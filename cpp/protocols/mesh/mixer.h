/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_MIXER_H
#define MFTPUBSUB_PROTOCOLS_MESH_MIXER_H

#include "protocols/mesh/speaker.h"

#include <deque>
#include <utility>
#include <vector>

namespace mftpubsub::mesh
{

/**
 * When a broker sends sums of new events instead of these, and how many: as a state machine without
 * I/O. All brokers around together send some for each event (a forwarding factor; Fragouli, Widmer
 * and Le Boudec 2006), so that each of them sends a share.
 */
class Mixer
{
  public:
    explicit Mixer(const Context& context)
        : m_context(context)
    {
    }

    /// @return whether the channel is so busy that sums are worth their wait
    bool IsMixing() const
    {
        return m_context.load() >= m_context.options.limits.mix.load;
    }

    /// The broker has a new event.
    void Note(Instant now, EventId id);

    /// @p events are to go on, with so many other brokers around.
    void Owe(Instant now, size_t events, size_t brokers);

    /// @return when sums go out; NEVER if none is owed
    Instant Due() const
    {
        return m_at;
    }

    /// @return how many sums go out now
    size_t Take(Instant now);

    /// What is owed is left to repairs.
    void Stop();

    /// @return the events that it has had for a short time, the newest first
    std::vector<EventId> GetLate(Instant now);

    size_t CountRemembered() const
    {
        return m_late.size();
    }

  private:
    void Forget(Instant now);

    const Context& m_context;
    std::deque<std::pair<Instant, EventId>> m_late;
    double m_owed{-1}; //!< sums; less than 0: it has not begun to mix
    Instant m_at{NEVER};
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_MIXER_H */
