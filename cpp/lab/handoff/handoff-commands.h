/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_HANDOFF_HANDOFF_COMMANDS_H
#define MFTPUBSUB_LAB_HANDOFF_HANDOFF_COMMANDS_H

#include "lab/handoff/handoff-lab.h"
#include "lab/laboratory.h"

namespace mftpubsub
{

/// Hand-offs: brokers that stay, and subscribers that move between them, by commands.
class HandoffCommands : public Laboratory
{
  public:
    static LabFamily GetFamily();

    /// @param scheme a name of GetHandoffSchemes()
    /// @param words options and links
    /// @throws LabError if they make no sense
    HandoffCommands(const std::string& scheme, const Words& words);

    void Run(const std::string& command) override;
    bool Step() override;
    std::vector<std::string> FindViolations() const override;
    LabPicture Draw() const override;
    std::vector<LabMove> GetMoves() const override;

  private:
    static const std::vector<LabOption<HandoffLabOptions>>& GetOptions();
    static const std::vector<Command<HandoffCommands>>& GetCommands();
    static HandoffLabOptions ReadOptions(const std::string& scheme, const Words& words);

    template <void (HandoffLab::*CALL)(const std::string&)>
    void Tell(const Words& given)
    {
        (m_lab.*CALL)(given[0]);
    }

    template <void (HandoffLab::*CALL)(const std::string&, const std::string&)>
    void Tell(const Words& given)
    {
        (m_lab.*CALL)(given[0], given[1]);
    }

    void Subscribe(const Words& given);
    void Leave(const Words& given);
    void LeaveAndDrop(const Words& given);
    void Ping(const Words& given);
    void Balance(const Words& given);
    void AddEdge(const Words& given);
    void Hold(const Words& given);
    void Release(const Words& given);
    void States(const Words& given);
    void StepLink(const Words& given);

    void PrintLog();

    HandoffLab m_lab;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_HANDOFF_HANDOFF_COMMANDS_H */
