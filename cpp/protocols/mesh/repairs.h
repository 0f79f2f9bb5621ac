/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_REPAIRS_H
#define MFTPUBSUB_PROTOCOLS_MESH_REPAIRS_H

#include "content/event.h"
#include "policies/repair-policy.h"
#include "protocols/mesh/options.h"
#include "protocols/mesh/summary.h"

#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace mftpubsub::mesh
{

/// The events that a broker is going to send to neighbours that lack them (rule 3), and in which
/// order: the policy says who comes first, and each is sent what it lacks by publisher and
/// sequence.
class Repairs
{
  public:
    Repairs(std::shared_ptr<RepairPolicy> policy, NodeDescriber describe);

    /// @p neighbour has said that it lacks @p events, @p hops away.
    void Add(Instant now, NodeId neighbour, double hops, const std::vector<EventId>& events);

    /// Nobody is to be sent the event any more.
    void Erase(EventId id);

    bool IsEmpty() const
    {
        return m_lacking.empty();
    }

    /// A neighbour, and what it lacks.
    struct First
    {
        NodeId neighbour{NO_NODE};
        std::set<EventId> events;

        bool operator==(const First&) const = default;
    };

    /// @return who comes first, where somebody lacks something
    First GetFirst(Instant now) const;

    /**
     * @return events of which nobody lacks more than @p sums, so that all can solve so many sums of
     * them: of what @p first lacks, then what others do, @p most in all. Those that cannot be mixed
     * are left out.
     */
    Summary ChooseMixed(const First& first,
                        size_t sums,
                        size_t most,
                        const std::function<bool(EventId)>& canBeMixed) const;

    /// So many sums of @p events are sent: whoever lacks no more of them is sent them no more.
    void EraseMixed(const std::vector<EventId>& events, size_t sums);

  private:
    struct Lacking
    {
        NodeId neighbour{NO_NODE};
        Instant since{0};
        double hops{0};
        std::set<EventId> events; //!< not empty
    };

    std::shared_ptr<RepairPolicy> m_policy;
    NodeDescriber m_describe;
    std::vector<Lacking> m_lacking; //!< a neighbour each, who has waited longest first
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_REPAIRS_H */
