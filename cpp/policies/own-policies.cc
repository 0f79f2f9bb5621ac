/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "policies/own-policies.h"

namespace mftpubsub
{

namespace
{

/// How much stronger another broker's signal must be for a node to leave its parent, dB.
constexpr double TUNED_MARGIN_DB = 6;

/// Fewer changes of parents, and less air for queues that are replayed over a link that is going:
/// docs/decisions/baselines.md has the search.
const PolicySpecs MFT_PUBSUB_TUNED{
    {"parent", {"hysteresis", {{"margin", TUNED_MARGIN_DB}}}},
    {"client", {"hysteresis", {{"margin", TUNED_MARGIN_DB}}}},
    {"retry", {"by-kind", {{"REP", 1}, {"other", 3}}}},
    {"failure", {"keep-link", {}}},
};

/// The same for mft-pubsub-2, which tells of a link that it gives up.
const PolicySpecs OF_MFT_PUBSUB_2{
    {"parent", {"hysteresis", {{"margin", TUNED_MARGIN_DB}}}},
    {"client", {"hysteresis", {{"margin", TUNED_MARGIN_DB}}}},
    {"retry", {"by-kind", {{"REP", 1}, {"other", 3}}}},
    {"failure", {"drop-link", {}}},
};

const PolicySpecs NONE;

} // namespace

const PolicySpecs&
GetOwnPolicies(std::string_view protocol)
{
    if (protocol == "mft-pubsub-tuned")
    {
        return MFT_PUBSUB_TUNED;
    }
    return protocol == MFT_PUBSUB_2 ? OF_MFT_PUBSUB_2 : NONE;
}

PolicySpecs
WithOwnPolicies(std::string_view protocol, PolicySpecs specs)
{
    for (const auto& [decides, own] : GetOwnPolicies(protocol))
    {
        specs.insert_or_assign(decides, own);
    }
    return specs;
}

} // namespace mftpubsub
