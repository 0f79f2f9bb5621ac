/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run/run-request.h"

#include "json/json-reader.h"
#include "json/json-writer.h"
#include "policies/own-policies.h"
#include "run/scenario-fields.h"

namespace mftpubsub
{

RunOrder
ReadRunOrder(const std::string& request, uintptr_t hooks)
{
    const auto& functions = *reinterpret_cast<const RunHooks*>(hooks);
    RunOrder order;
    order.request = FromJson<RunRequest>(request, "request");
    order.request.scenario.policies =
        MakePolicies(WithOwnPolicies(order.request.scenario.protocol, order.request.policies),
                     functions.policies);
    order.request.scenario.stations = functions.stations;
    order.request.scenario.brokers = functions.brokers;
    order.trace = [trace = functions.trace](uintptr_t address, size_t bytes) {
        trace(reinterpret_cast<const char*>(address), bytes);
    };
    order.progress = functions.progress;
    order.observer = [observe = functions.observe](const Snapshot& snapshot) {
        const auto text = ToJson(snapshot);
        return observe(text.data(), text.size()) != 0;
    };
    if (functions.air)
    {
        order.air = [air = functions.air](uintptr_t address, size_t bytes) {
            air(reinterpret_cast<const void*>(address), bytes);
        };
    }
    if (functions.frames)
    {
        order.frames = [frames = functions.frames](uintptr_t address, size_t bytes) {
            frames(reinterpret_cast<const void*>(address), bytes);
        };
    }
    return order;
}

} // namespace mftpubsub
