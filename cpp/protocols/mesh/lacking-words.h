/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_PROTOCOLS_MESH_LACKING_WORDS_H
#define MFTPUBSUB_PROTOCOLS_MESH_LACKING_WORDS_H

#include "protocols/mesh/frame-fit.h"
#include "protocols/mesh/speaker.h"

#include <map>
#include <optional>
#include <vector>

namespace mftpubsub::mesh
{

/// How large frames of words may be for those who lack some, as their BSUBs say.
class LackingWords
{
  public:
    explicit LackingWords(const Context& context);

    /// @p broker has said @p bsub: it lacks the words of these subscribers, ascending.
    void Hear(Instant now, NodeId broker, const Bsub& bsub, const std::vector<NodeId>& lacking);

    /// @p broker has all words.
    void Forget(NodeId broker);

    /// @return bytes of a frame of words that may arrive where words are lacked now
    size_t GetMost(Instant now) const;

    /// These words go out. @p areLast: no others wait.
    void Sent(const Sub& sub, bool areLast);

  private:
    struct Broker
    {
        Instant heardAt{0};
        Instant waitsUntil{0};
        std::optional<NodeId> lacks; //!< one of the words that go to it
        FrameFit<NodeId> fit;
    };

    const Context& m_context;
    std::map<NodeId, Broker> m_brokers;
};

} // namespace mftpubsub::mesh

#endif /* MFTPUBSUB_PROTOCOLS_MESH_LACKING_WORDS_H */
