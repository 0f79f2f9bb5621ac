/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_TREE_QUESTIONS_H
#define MFTPUBSUB_PROTOCOLS_TREE_QUESTIONS_H

#include "protocols/tree/message.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <vector>

namespace mftpubsub
{

/**
 * Of which events a broker asks its neighbours whom they are for.
 *
 * Each neighbour is asked once, also one that comes later: an earlier one may know as little as the
 * broker itself.
 */
class Questions
{
  public:
    /// @param most events at a time: the newest
    explicit Questions(size_t most)
        : m_most(most)
    {
    }

    /// From now on neighbours are asked about @p event, by copies that have made @p hops.
    /// @param asker has asked this broker and is not asked itself; NO_NODE: nobody has
    void Keep(const EventPtr& event, uint8_t hops, NodeId asker);

    /// @return what @p neighbour has not been asked, and is asked now
    std::vector<Pub> For(NodeId neighbour);

    /// @p neighbour has not heard @p question.
    void NotHeard(NodeId neighbour, const Pub& question);

    /// Only what nobody was asked, or somebody did not hear, is asked of later neighbours.
    void DropAsked();

    std::string GetDigest() const;

  private:
    struct Question
    {
        EventPtr event;
        uint8_t hops{0};
        std::set<NodeId> askers{};
        std::set<NodeId> asked{};
        std::set<NodeId> deaf{}; //!< who did not hear it, and has not been asked again
    };

    Question& Find(const EventPtr& event, uint8_t hops);

    size_t m_most;
    std::deque<Question> m_questions; //!< oldest first
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_PROTOCOLS_TREE_QUESTIONS_H */
