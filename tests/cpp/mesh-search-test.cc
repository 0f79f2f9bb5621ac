/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Searches for what breaks an invariant of the mesh: in random worlds, and through every way in
 * which the first frames may be lost. MESH_SCHEDULES sets how many worlds; search-schedules runs
 * more.
 */
#include "lab/mesh/mesh-lab.h"
#include "search-mesh.h"

#include "ns3/test.h"

#include <cstdlib>
#include <functional>
#include <string>

namespace mftpubsub::mesh_search_test
{

namespace
{

constexpr uint8_t B = mesh::BROKER;
constexpr uint8_t S = mesh::SUBSCRIBER;
constexpr uint8_t P = mesh::PUBLISHER;

uint32_t
CountWorlds(uint32_t usual)
{
    const auto* text = std::getenv("MESH_SCHEDULES");
    return text ? static_cast<uint32_t>(std::atoi(text)) : usual;
}

uint32_t
FirstSeed()
{
    const auto* text = std::getenv("MESH_FIRST_SEED");
    return text ? static_cast<uint32_t>(std::atoi(text)) : 1;
}

class RandomWorldsTest : public ns3::TestCase
{
  public:
    RandomWorldsTest()
        : TestCase("In every random world all that is reachable is delivered")
    {
    }

  private:
    void DoRun() override
    {
        const auto first = FirstSeed();
        for (auto seed = first; seed < first + CountWorlds(600); ++seed)
        {
            const auto wrong = MeshWorld(seed).Run();
            if (wrong.empty())
            {
                continue;
            }
            NS_TEST_EXPECT_MSG_EQ(wrong.size(), 0, "world " << seed << ": " << wrong.front());
            if (std::getenv("MESH_LOG"))
            {
                MeshWorld again(seed, true);
                again.Run();
                for (const auto& line : again.GetLab().TakeLog())
                {
                    std::puts(line.text.c_str());
                }
                return;
            }
        }
    }
};

/**
 * Every way in which the neighbours may miss the first frames of a small network: as many decisions
 * as the depth says are enumerated, and everything behind them is heard.
 */
class EveryLossTest : public ns3::TestCase
{
  public:
    EveryLossTest(const std::string& name,
                  std::vector<uint8_t> roles,
                  std::function<void(MeshLab&)> play,
                  size_t depth)
        : TestCase("No loss of first frames breaks an invariant: " + name),
          m_roles(std::move(roles)),
          m_play(std::move(play)),
          m_depth(depth)
    {
    }

  private:
    void DoRun() override
    {
        std::vector<bool> choices;
        do
        {
            size_t asked = 0;
            MeshLabOptions options;
            options.roles = m_roles;
            MeshLab lab(options);
            lab.SetHears([&](NodeId, NodeId) {
                if (asked == choices.size() && asked < m_depth)
                {
                    choices.push_back(true);
                }
                return asked >= m_depth || choices[asked++];
            });
            m_play(lab);
            lab.Run(40);
            auto wrong = lab.GetViolations();
            const auto left = lab.CheckConverged();
            wrong.insert(wrong.end(), left.begin(), left.end());
            std::string text;
            for (const auto heard : choices)
            {
                text += heard ? '1' : '0';
            }
            NS_TEST_ASSERT_MSG_EQ(wrong.size(), 0, text << ": " << wrong.front());
            while (!choices.empty() && !choices.back())
            {
                choices.pop_back();
            }
            if (!choices.empty())
            {
                choices.back() = false;
            }
        } while (!choices.empty());
    }

    std::vector<uint8_t> m_roles;
    std::function<void(MeshLab&)> m_play;
    size_t m_depth;
};

class MeshSearchSuite : public ns3::TestSuite
{
  public:
    MeshSearchSuite()
        : TestSuite("mftpubsub-mesh-search", Type::UNIT)
    {
        AddTestCase(new RandomWorldsTest, Duration::QUICK);
        AddTestCase(new EveryLossTest(
                        "two devices with all roles",
                        {B | S | P, B | S | P},
                        [](MeshLab& lab) {
                            lab.Subscribe(0, Topic("a"));
                            lab.Publish(1, "a");
                            lab.Run(0.4);
                            lab.Subscribe(1, Topic("a"));
                            lab.Publish(0, "a");
                        },
                        10),
                    Duration::QUICK);
        AddTestCase(new EveryLossTest(
                        "broker, subscriber and publisher",
                        {B, S, P},
                        [](MeshLab& lab) {
                            lab.Subscribe(1, Topic("a"));
                            lab.Run(0.2);
                            lab.Publish(2, "a");
                            lab.Publish(2, "b");
                            lab.Run(1);
                            lab.Unsubscribe(1, Topic("a"));
                            lab.Subscribe(1, Topic("b"));
                            lab.Publish(2, "b");
                        },
                        10),
                    Duration::QUICK);
        AddTestCase(new EveryLossTest(
                        "a broker restarts silently",
                        {B, B, S, P},
                        [](MeshLab& lab) {
                            lab.SetLink(0, 3, false);
                            lab.SetLink(1, 2, false);
                            lab.Subscribe(2, Topic("a"));
                            lab.Run(0.3);
                            lab.Publish(3, "a");
                            lab.Run(0.2);
                            lab.Crash(0);
                            lab.Restart(0);
                            lab.Publish(3, "a");
                        },
                        10),
                    Duration::QUICK);
    }
};

MeshSearchSuite g_meshSearch;

} // namespace

} // namespace mftpubsub::mesh_search_test
