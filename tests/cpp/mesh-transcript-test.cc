/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Transcripts that explain the mesh: tests/golden/mesh has what each scene below says, frame by
 * frame. MESH_GOLDEN=write writes them anew.
 */
#include "lab/broadcast-lab.h"

#include "ns3/test.h"

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

using namespace mftpubsub;

namespace
{

constexpr uint8_t B = mesh::BROKER;
constexpr uint8_t S = mesh::SUBSCRIBER;
constexpr uint8_t P = mesh::PUBLISHER;

/// Plays a scene on a fresh lab.
struct Scene
{
    std::string name;
    std::string title;
    std::vector<uint8_t> roles;
    std::function<void(BroadcastLab&)> play;
};

/// Leaves the links between neighbours in a row only.
void
Line(BroadcastLab& lab, NodeId count)
{
    for (NodeId one = 0; one < count; ++one)
    {
        for (NodeId other = one + 2; other < count; ++other)
        {
            lab.SetLink(one, other, false);
        }
    }
}

const std::vector<Scene> SCENES = {
    {"event",
     "An event's way: publisher 0, brokers 1, 2, 3 and subscriber 4 in a row",
     {P, B, B, B, S},
     [](BroadcastLab& lab) {
         Line(lab, 5);
         lab.Subscribe(4, "topic = 'a'");
         lab.Run(2);
         lab.Publish(0, "a");
         lab.Run(1);
     }},
    {"repair",
     "A repair: broker 2 misses an event, says what it has, and is sent it by broker 1",
     {P, B, B, S},
     [](BroadcastLab& lab) {
         lab.SetLink(0, 2, false);
         lab.Subscribe(3, "topic = 'a'");
         lab.Run(2);
         lab.SetLink(1, 2, false);
         lab.Publish(0, "a");
         lab.Run(0.6);
         lab.SetLink(1, 2, true);
         lab.Note("broker 2 is in reach again");
         lab.Run(4);
     }},
    {"word",
     "A word's way: subscriber 3 joins late; its word goes from broker to broker",
     {B, B, B, S},
     [](BroadcastLab& lab) {
         Line(lab, 4);
         lab.Run(2);
         lab.Subscribe(3, "topic = 'a'");
         lab.Run(2);
         lab.Unsubscribe(3, "topic = 'a'");
         lab.Run(2);
     }},
    {"nobody",
     "An event that nobody wants is not forwarded: a broker's STATE is its publisher's answer",
     {P, B, B, S},
     [](BroadcastLab& lab) {
         lab.Subscribe(3, "topic = 'a'");
         lab.Run(2);
         lab.Publish(0, "b");
         lab.Run(1);
     }},
    {"partition",
     "A partition and its merge: 0, 1, 2 on one side, 3, 4, 5 on the other",
     {P, B, S, B, S, P},
     [](BroadcastLab& lab) {
         lab.Subscribe(2, "topic = 'a'");
         lab.Subscribe(4, "topic = 'a'");
         lab.Run(2);
         const auto cut = [&lab](bool isUp) {
             for (NodeId one = 0; one < 3; ++one)
             {
                 for (NodeId other = 3; other < 6; ++other)
                 {
                     lab.SetLink(one, other, isUp);
                 }
             }
         };
         cut(false);
         lab.Publish(0, "a");
         lab.Publish(5, "a");
         lab.Run(2);
         lab.Note("the halves are in reach of each other again");
         cut(true);
         lab.Run(5);
     }},
    {"ferry",
     "A ferry: broker 2 carries an event from publisher 0 to subscriber 3, who never meet",
     {P, B, B, S, B},
     [](BroadcastLab& lab) {
         const auto move = [&lab](NodeId node, const std::vector<NodeId>& others, bool isUp) {
             for (const auto other : others)
             {
                 lab.SetLink(node, other, isUp);
             }
         };
         move(3, {0, 1}, false);
         move(4, {0, 1}, false);
         lab.Subscribe(3, "topic = 'a'");
         lab.Run(2);
         lab.Note("broker 2 leaves the subscriber's side");
         move(2, {3, 4}, false);
         lab.Publish(0, "a");
         lab.Run(2);
         lab.Note("broker 2 crosses over");
         move(2, {0, 1}, false);
         move(2, {3, 4}, true);
         lab.Run(5);
     }},
};

class TranscriptTest : public ns3::TestCase
{
  public:
    explicit TranscriptTest(const Scene& scene)
        : TestCase(scene.title),
          m_scene(scene)
    {
    }

  private:
    void DoRun() override
    {
        BroadcastLabOptions options;
        options.roles = m_scene.roles;
        options.isLogging = true;
        BroadcastLab lab(options);
        m_scene.play(lab);
        const auto text = "# " + m_scene.title + "\n" + lab.GetLog();
        const auto path = std::string(MFTPUBSUB_GOLDEN) + "/mesh/" + m_scene.name + ".txt";
        if (std::getenv("MESH_GOLDEN"))
        {
            std::ofstream(path) << text;
        }
        std::stringstream golden;
        golden << std::ifstream(path).rdbuf();
        NS_TEST_EXPECT_MSG_EQ(text, golden.str(), path);
        NS_TEST_EXPECT_MSG_EQ(lab.GetViolations().size(), 0, "violations");
    }

    const Scene& m_scene;
};

class MeshTranscriptSuite : public ns3::TestSuite
{
  public:
    MeshTranscriptSuite()
        : TestSuite("mftpubsub-mesh-transcript", Type::UNIT)
    {
        for (const auto& scene : SCENES)
        {
            AddTestCase(new TranscriptTest(scene), Duration::QUICK);
        }
    }
};

MeshTranscriptSuite g_meshTranscript;

} // namespace
