/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_LAB_MESH_MESH_COMMANDS_H
#define MFTPUBSUB_LAB_MESH_MESH_COMMANDS_H

#include "lab/laboratory.h"
#include "lab/mesh/mesh-lab.h"

namespace mftpubsub
{

/**
 * Devices on a broadcast channel, by commands. They are numbered from 0, by their roles in the
 * command that makes the laboratory; all are in reach of each other unless that names links.
 */
class MeshCommands : public Laboratory
{
  public:
    static LabFamily GetFamily();

    /// @param protocol one of mesh::GetStationProtocols
    /// @param words options, roles of each device, links
    /// @throws LabError if they make no sense
    MeshCommands(const std::string& protocol, const Words& words);

    void Run(const std::string& command) override;
    bool Step() override;
    std::vector<std::string> FindViolations() const override;
    LabPicture Draw() const override;
    std::vector<LabMove> GetMoves() const override;
    bool IsAtRest() const override;
    std::vector<std::string> FindBroken() const override;
    std::vector<std::string> FindFaults() const override;

  private:
    static const std::vector<LabOption<MeshLabOptions>>& GetOptions();
    static const std::vector<Command<MeshCommands>>& GetCommands();

    void Subscribe(const Words& given);
    void Unsubscribe(const Words& given);
    void Publish(const Words& given);
    void Connect(const Words& given);
    void Disconnect(const Words& given);
    void Crash(const Words& given);
    void Restart(const Words& given);
    void RunFor(const Words& given);
    void Loss(const Words& given);
    void Converged(const Words& given);
    void StepOften(const Words& given);
    void Lose(const Words& given);
    void Settle(const Words& given);

    NodeId Find(const std::string& number) const;
    NodeId FindWith(uint8_t role, const std::string& number) const;
    NodeId FindUp(const std::string& number) const;
    void SetLinks(const std::string& links, bool areUp);
    std::string DescribeHeld(NodeId node) const;
    void PrintLog();

    std::unique_ptr<MeshLab> m_lab;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_MESH_MESH_COMMANDS_H */
