/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * libFuzzer target: a node hears datagrams of any bytes, as they are and in an envelope that is
 * right. It refuses or reads them, and still publishes and delivers its own events afterwards.
 */
#include "fuzz.h"
#include "live/datagram.h"
#include "live/node.h"

#include <algorithm>

using namespace mftpubsub;

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const std::span<const uint8_t> bytes(data, size);
    live::Settings settings;
    settings.id = FindUnused(bytes, 1000); // others may not speak in its name
    settings.roles = mesh::BROKER | mesh::SUBSCRIBER;
    settings.network = "fuzz";
    live::Node node(settings, nullptr, [](auto) { return true; }, live::Clocks{live::UnixTime(1)});
    node.Start(Instant(0));
    const live::Framing framing("fuzz/mft-mesh", {});
    Instant now(0);
    uint32_t number = 0;
    for (size_t at = 0; at < size;)
    {
        const size_t length = std::min<size_t>(1 + data[at] % 128, size - at);
        const auto part = bytes.subspan(at, length);
        now += std::chrono::milliseconds(data[at]);
        node.Hear(now, part);
        node.Hear(now, framing.Seal({7, 1, number++}, part));
        node.Expire(now);
        at += length;
    }
    node.Subscribe(now, Filter::Parse("fuzz = TRUE"));
    Event event;
    event.attributes.emplace_back("fuzz", true);
    const auto sequence = node.Publish(now, std::move(event));
    EventPtr got;
    while (const auto next = node.Take())
    {
        got = next;
    }
    Require(got && got->id.publisher == settings.id && got->id.sequence == sequence);
    return 0;
}
