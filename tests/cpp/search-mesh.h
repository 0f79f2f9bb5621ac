/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Random worlds of the mesh: every option and limit drawn, trouble, then peace.
 */
#ifndef MFTPUBSUB_TESTS_SEARCH_MESH_H
#define MFTPUBSUB_TESTS_SEARCH_MESH_H

#include "lab/mesh/mesh-lab.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace mftpubsub
{

/// @return "topic = 'TOPIC'"
std::string Topic(const std::string& topic);

/**
 * One random world: 3 to 8 devices of any roles, or many publishers, with options, limits and sizes
 * of frames drawn from a seed; some time of events, other filters, partitions, crashes and
 * restarts, then peace. What is reachable is owed then (MeshLab::CheckConverged).
 */
class MeshWorld
{
  public:
    explicit MeshWorld(uint32_t seed, bool isLogging = false);

    /// @return what went wrong, a line each
    std::vector<std::string> Run();

    MeshLab& GetLab()
    {
        return m_lab;
    }

  private:
    double Draw();
    size_t DrawBelow(size_t count);
    bool Happens(double probability);

    template <typename T>
    const T& Pick(const std::vector<T>& from)
    {
        return from[DrawBelow(from.size())];
    }

    void DrawRoles();
    void DrawLimits(mesh::Limits& limits);
    void UsePositions(MeshLabOptions& options);
    MeshLabOptions MakeOptions(uint32_t seed, bool isLogging);
    std::vector<NodeId> With(uint8_t role) const;
    NodeId AnyNode();

    void Disturb();
    void Publish(size_t events);
    void ChangeFilters();
    void CutOff(NodeId node);
    void Part();
    void CrashOrRestart(NodeId node);
    void Heal();
    std::vector<std::string> WaitForPeace();
    std::vector<std::string> FindUnrest();

    std::mt19937 m_random;
    std::vector<uint8_t> m_roles;
    bool m_isMixed{false}; //!< topics take turns: what nobody wants lies between what some want
    size_t m_mostPayload{0};
    MeshLabOptions m_options;
    MeshLab m_lab;
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_TESTS_SEARCH_MESH_H */
