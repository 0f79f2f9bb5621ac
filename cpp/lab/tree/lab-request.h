/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * A laboratory as Python hands it over: one JSON text, and the policies that it asks.
 */
#ifndef MFTPUBSUB_LAB_TREE_LAB_REQUEST_H
#define MFTPUBSUB_LAB_TREE_LAB_REQUEST_H

#include "lab/tree/tree-lab.h"

#include <cstdint>
#include <string>

namespace mftpubsub
{

/// @param request {"options": LabOptions without policies, "policies": PolicySpecs}
/// @param hooks address of the PolicyHooks, whose functions must outlive the laboratory
/// @param brokers address of the BrokerHooks, which must outlive the laboratory; 0: none
/// @throws LabError that names the field for another text
LabOptions ReadLabOptions(const std::string& request, uintptr_t hooks, uintptr_t brokers = 0);

} // namespace mftpubsub

#endif /* MFTPUBSUB_LAB_TREE_LAB_REQUEST_H */
