/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "hosts/node-address.h"

#include "ns3/frame-exchange-manager.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"

namespace mftpubsub
{

void
GiveAddress(ns3::NetDevice& device, NodeId id)
{
    const auto address = ToMacAddress(id);
    device.SetAddress(address);
    // Of a Wi-Fi device's new address ns-3 does not tell what exchanges its frames. A device of
    // several links has an address of each of them beside its own.
    if (const auto* wifi = dynamic_cast<const ns3::WifiNetDevice*>(&device))
    {
        const auto mac = wifi->GetMac();
        if (mac->GetNLinks() == 1)
        {
            mac->GetFrameExchangeManager()->SetAddress(address);
        }
    }
}

} // namespace mftpubsub
