/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_TREE_TREE_COMMANDS_H
#define MFTPUBSUB_LAB_TREE_TREE_COMMANDS_H

#include "lab/laboratory.h"
#include "lab/tree/tree-lab.h"

namespace mftpubsub
{

/// The thesis's family: brokers that form a tree, with subscribers and publishers, by commands.
class TreeCommands : public Laboratory
{
  public:
    static LabFamily GetFamily();

    /// @param protocol a name of GetBrokerProtocols()
    /// @param words options and links
    /// @throws LabError if they make no sense
    /// @param brokers of a protocol that is written in Python
    TreeCommands(const std::string& protocol,
                 const Words& words,
                 const BrokerHooks* brokers = nullptr);

    void Run(const std::string& command) override;
    bool Step() override;
    std::vector<std::string> FindViolations() const override;
    LabPicture Draw() const override;
    std::vector<LabMove> GetMoves() const override;

  private:
    static const std::vector<LabOption<LabOptions>>& GetOptions();
    static const std::vector<Command<TreeCommands>>& GetCommands();

    template <void (TreeLab::*CALL)(const std::string&)>
    void Tell(const Words& given)
    {
        (m_lab.*CALL)(given[0]);
    }

    template <void (TreeLab::*CALL)(const std::string&, const std::string&)>
    void Tell(const Words& given)
    {
        (m_lab.*CALL)(given[0], given[1]);
    }

    void Subscribe(const Words& given);
    void Publish(const Words& given);
    void Table(const Words& given);
    void Queue(const Words& given);
    void Delivered(const Words& given);
    void Pending(const Words& given);

    static LabOptions ReadOptions(const std::string& protocol,
                                  const Words& words,
                                  const BrokerHooks* brokers);
    void PrintLog();

    TreeLab m_lab;
};

/// @return the event with attributes NAME=VALUE: 12, 1.5, true, 'text'
/// @throws LabError if @p values are none
LabEvent ParseEvent(const std::string& values);

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_TREE_TREE_COMMANDS_H */
