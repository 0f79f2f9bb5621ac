/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/tree/lab-request.h"

#include "json/json-reader.h"
#include "policies/own-policies.h"

namespace mftpubsub
{

namespace
{

struct LabRequest
{
    LabOptions options;
    PolicySpecs policies;
};

} // namespace

/// Its policies are handed over beside it, and its limits are no matter of transcripts.
template <>
inline constexpr auto FIELDS<LabOptions> =
    MakeFields<LabOptions, 3>(MFTPUBSUB_FIELD(LabOptions, protocol),
                              MFTPUBSUB_FIELD(LabOptions, links),
                              MFTPUBSUB_FIELD(LabOptions, root),
                              MFTPUBSUB_FIELD(LabOptions, order),
                              MFTPUBSUB_FIELD(LabOptions, literalChildren),
                              MFTPUBSUB_FIELD(LabOptions, replay),
                              MFTPUBSUB_FIELD(LabOptions, shuffled),
                              MFTPUBSUB_FIELD(LabOptions, seed));

template <>
inline constexpr auto FIELDS<LabRequest> =
    MakeFields<LabRequest>(MFTPUBSUB_FIELD(LabRequest, options),
                           MFTPUBSUB_FIELD(LabRequest, policies));

LabOptions
ReadLabOptions(const std::string& request, uintptr_t hooks, uintptr_t brokers)
{
    try
    {
        auto read = FromJson<LabRequest>(request, "laboratory");
        read.options.policies = MakePolicies(WithOwnPolicies(read.options.protocol, read.policies),
                                             *reinterpret_cast<const PolicyHooks*>(hooks));
        read.options.brokers = reinterpret_cast<const BrokerHooks*>(brokers);
        return read.options;
    }
    catch (const std::invalid_argument& error)
    {
        throw LabError(error.what());
    }
}

} // namespace mftpubsub
