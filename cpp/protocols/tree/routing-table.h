/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_ROUTING_TABLE_H
#define MFTPUBSUB_PROTOCOLS_TREE_ROUTING_TABLE_H

#include "content/matcher.h"
#include "protocols/tree/broker.h"

#include <map>
#include <set>
#include <vector>

namespace mftpubsub
{

/**
 * R_i and T_i, held by subscriber: s -> (t, h, next hop z, filters F_s) (protocols.md section 4
 * ruling 1). A route without filters is kept: it says that the newest word of s was an
 * unsubscription.
 */
class RoutingTable
{
  public:
    struct Route
    {
        NodeId nextHop{NO_NODE};  //!< z
        Freshness freshness;      //!< T_i(s) = (t, h)
        std::set<Filter> filters; //!< F_s; changed only through the table, which indexes it
    };

    using Routes = std::map<NodeId, Route>;

    RoutingTable() = default;
    RoutingTable(const RoutingTable& other);
    RoutingTable& operator=(const RoutingTable&) = delete;

    /// @return the route of @p subscriber, or nullptr if it was never heard of
    const Route* Find(NodeId subscriber) const;

    /// @return T_i(s), (0, infinity) for an unknown subscriber
    Freshness GetFreshness(NodeId subscriber) const;

    /// @return t of T_i(s), 0 for an unknown subscriber
    uint32_t GetTimestamp(NodeId subscriber) const;

    /// @return the next hop towards @p subscriber, NO_NODE for an unknown one
    NodeId GetNextHop(NodeId subscriber) const;

    /// Sets the next hop of @p subscriber, whom the table need not know yet.
    void SetNextHop(NodeId subscriber, NodeId nextHop);

    /// Sets T_i(s) of @p subscriber, whom the table need not know yet.
    void SetFreshness(NodeId subscriber, Freshness freshness);

    void AddFilter(NodeId subscriber, const Filter& filter);
    void RemoveFilter(NodeId subscriber, const Filter& filter);

    /// Replaces all filters of @p subscriber.
    void SetFilters(NodeId subscriber, const std::vector<Filter>& filters);

    /// What somebody's word of a subscriber's filters is to this table.
    enum class News
    {
        OLDER,
        KNOWN,
        FIRST, //!< the first ever heard of, and none
        CHANGED
    };

    /// Takes the filters of @p subscriber, and t = @p timestamp with h = 0, if they are newer.
    News TakeNewer(NodeId subscriber, uint32_t timestamp, const std::vector<Filter>& filters);

    /// @return the filters of @p subscriber, ascending by text
    std::vector<Filter> GetFilters(NodeId subscriber) const;

    /// Forgets @p subscriber altogether.
    void Erase(NodeId subscriber);

    /// @return the subscribers that @p event matches, ascending
    std::vector<NodeId> Match(const Event& event) const;

    /// @return all routes, by ascending subscriber
    const Routes& GetRoutes() const;

    std::vector<RouteView> GetView() const;

  private:
    Routes m_routes;
    Matcher m_matcher;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_ROUTING_TABLE_H */
