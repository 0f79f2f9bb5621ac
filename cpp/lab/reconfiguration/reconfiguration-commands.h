/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_RECONFIGURATION_RECONFIGURATION_COMMANDS_H
#define MFTPUBSUB_LAB_RECONFIGURATION_RECONFIGURATION_COMMANDS_H

#include "lab/laboratory.h"
#include "lab/reconfiguration/reconfiguration-lab.h"

namespace mftpubsub
{

/**
 * Dispatchers over perfect links, some of which others replace.
 *
 * D names a dispatcher, P a pattern, R a reconfiguration. Patterns are in the order in which they
 * are first named, dispatchers in that of their names. Commands print the messages that they make
 * dispatchers send, `u -> v` over a link and `u ~> v` out of band. Only `advance`, to a time, lets
 * timers expire, and delivers everything before and after each.
 */
class ReconfigurationCommands : public Laboratory
{
  public:
    /// What a laboratory is made of, but for its links.
    struct Options
    {
        double unsubscribe{0.15}; //!< s; C table I, T_u
        double subscribe{0.15};   //!< s; C table I, T_s
    };

    static LabFamily GetFamily();

    /// @param protocol a name of reconfiguration::GetProtocols()
    /// @param words options and links, which form a tree
    /// @throws LabError if they make no sense
    ReconfigurationCommands(const std::string& protocol, const Words& words);

    void Run(const std::string& command) override;
    bool Step() override;
    std::vector<std::string> FindViolations() const override;
    LabPicture Draw() const override;
    std::vector<LabMove> GetMoves() const override;

  private:
    using NodeCall = void (reconfiguration::ReconfigurationLab::*)(NodeId,
                                                                   reconfiguration::Pattern);
    using LinkCall = void (
        reconfiguration::ReconfigurationLab::*)(reconfiguration::ReconfigurationId, NodeId, NodeId);

    static const std::vector<LabOption<Options>>& GetOptions();
    static const std::vector<Command<ReconfigurationCommands>>& GetCommands();

    void Subscribe(const Words& given);
    void Unsubscribe(const Words& given);
    void Publish(const Words& given);
    void Break(const Words& given);
    void Replace(const Words& given);
    void Advance(const Words& given);
    void StepLink(const Words& given);
    void ExpireNext(const Words& given);
    void Table(const Words& given);
    void Tables(const Words& given);
    void Delivered(const Words& given);
    void Costs(const Words& given);

    reconfiguration::Forest MakeTree(const Words& links);
    void AddEdge(reconfiguration::Forest& tree, const std::string& link) const;
    NodeId Find(const std::string& name) const;
    reconfiguration::Edge FindEdge(const std::string& link) const;
    void ForEachPattern(const Words& given, NodeCall call);
    void Reconfigure(const Words& given, LinkCall call, const std::string& refusal);
    std::optional<Instant> GetNextDue() const;
    void ExpireDue(Instant now);
    std::string DescribeRows(NodeId node) const;
    std::string Join(const reconfiguration::Patterns& patterns) const;
    void PrintSent(const reconfiguration::ReconfigurationLab::InTransit& sent);

    // The words of messages.

    std::string Describe(const reconfiguration::Sub& sub) const;
    std::string Describe(const reconfiguration::Unsub& unsub) const;
    std::string Describe(const reconfiguration::Event& event) const;
    std::string Describe(const reconfiguration::Flush& flush) const;
    std::string Describe(const reconfiguration::Activate& activate) const;
    std::string Describe(const reconfiguration::Rec& rec) const;
    std::string Describe(const reconfiguration::RecAck& ack) const;

    Options m_options;
    double m_now{0}; //!< s
    uint32_t m_publications{0};
    Words m_names;            //!< of dispatchers
    Words m_patterns;         //!< by number
    Words m_reconfigurations; //!< by number
    std::unique_ptr<reconfiguration::ReconfigurationLab> m_lab;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_RECONFIGURATION_RECONFIGURATION_COMMANDS_H */
