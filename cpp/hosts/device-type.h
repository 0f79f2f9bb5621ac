/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_HOSTS_DEVICE_TYPE_H
#define MFTPUBSUB_HOSTS_DEVICE_TYPE_H

#include "ns3/net-device.h"
#include "ns3/type-id.h"

#include <string>

namespace mftpubsub
{

/// @return whether @p device is of the type @p name or derived from it, whose module need not be
/// linked
inline bool
IsDevice(const ns3::NetDevice& device, const std::string& name)
{
    ns3::TypeId wanted;
    const auto type = device.GetInstanceTypeId();
    return ns3::TypeId::LookupByNameFailSafe(name, &wanted) &&
           (type == wanted || type.IsChildOf(wanted));
}

} // namespace mftpubsub

#endif /* MFTPUBSUB_HOSTS_DEVICE_TYPE_H */
