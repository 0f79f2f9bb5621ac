/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * libFuzzer target: whatever comes from the air, a device of any roles goes on, and sends frames of
 * its own that are frames and fit. The input is frames, each after two bytes of its length; one of
 * no bytes lets time go by.
 */
#include "protocols/mesh/mesh-station.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace mftpubsub;
using namespace mftpubsub::mesh;

namespace
{

constexpr double RSSI_DBM = -70;
constexpr auto AIR_TIME = Seconds(0.004);
constexpr auto BETWEEN_FRAMES = Seconds(0.01);
constexpr auto PAUSE = Seconds(4);
constexpr int MOST_STEPS = 1000;

void
Require(bool holds)
{
    if (!holds)
    {
        std::abort();
    }
}

/// A device that has subscribed and published before others are heard.
class Device
{
  public:
    Device(uint8_t roles, const Options& options)
        : m_most(options.maxFrameBytes),
          m_station(9, roles, options, [this] { return Draw(); }, {})
    {
        Output output;
        m_station.Step(m_now, input::Started(), output);
        Answer(output);
        if (roles & SUBSCRIBER)
        {
            m_station.Step(m_now, input::Subscribed{Filter::Parse("topic = 'a'")}, output);
            Answer(output);
        }
        if (roles & PUBLISHER)
        {
            const Event event{{9, 0}, {{"topic", std::string("a")}}, 20};
            m_station.Step(m_now, input::Published{std::make_shared<const Event>(event)}, output);
            Answer(output);
        }
    }

    void Receive(std::span<const uint8_t> frame)
    {
        PassTime(BETWEEN_FRAMES);
        Output output;
        m_station.Step(m_now, input::Heard{frame, RSSI_DBM}, output);
        Answer(output);
    }

    void PassTime(Instant time)
    {
        const auto end = m_now + time;
        for (int steps = 0; steps < MOST_STEPS; ++steps)
        {
            const auto due = m_station.NextTimer();
            if (!due || *due > end)
            {
                break;
            }
            m_now = std::max(m_now, *due);
            Output output;
            m_station.Step(m_now, input::Expired(), output);
            Answer(output);
        }
        m_now = end;
    }

  private:
    double Draw()
    {
        return std::uniform_real_distribution<double>(0, 1)(m_random);
    }

    /// Every frame that it hands over goes on the air at once.
    void Answer(Output& output)
    {
        while (output.frame)
        {
            const auto bytes = std::exchange(output.frame, {})->bytes;
            Require(bytes.size() <= m_most && Encode(Decode(bytes)) == bytes);
            m_now += AIR_TIME;
            m_station.Step(m_now, input::Transmitted{AIR_TIME}, output);
        }
        output = {};
    }

    size_t m_most;
    std::mt19937 m_random{1};
    Instant m_now{0};
    MeshStation m_station;
};

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    std::span<const uint8_t> left(data, size);
    std::vector<std::span<const uint8_t>> frames;
    while (left.size() >= 2 && frames.size() < 30)
    {
        const auto bytes = std::min<size_t>(left[0] * 256U + left[1], left.size() - 2);
        frames.push_back(left.subspan(2, bytes));
        left = left.subspan(2 + bytes);
    }
    for (const auto frame : frames)
    {
        if (const auto decoded = TryDecode(frame))
        {
            const auto encoded = Encode(*decoded);
            Require(encoded.size() <= frame.size() && Encode(Decode(encoded)) == encoded);
        }
    }
    Options small;
    small.maxFrameBytes = MIN_FRAME_BYTES;
    small.crowd = 0;
    small.forgetAfter = Seconds(5);
    for (const auto& options : {Options(), small})
    {
        for (const uint8_t roles :
             {+BROKER, +SUBSCRIBER, +PUBLISHER, BROKER | SUBSCRIBER | PUBLISHER})
        {
            Device device(roles, options);
            for (const auto frame : frames)
            {
                frame.empty() ? device.PassTime(PAUSE) : device.Receive(frame);
            }
            device.PassTime(PAUSE);
        }
    }
    return 0;
}
