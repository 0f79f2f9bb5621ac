/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "policies/hooked.h"

#include <algorithm>
#include <span>

namespace mftpubsub
{

PolicyFailure::PolicyFailure()
    : std::runtime_error("a policy has failed")
{
}

HookFunction
FindHook(const PolicyHooks& hooks, std::string_view what)
{
    const std::span all(hooks.hooks, hooks.count);
    const auto found = std::ranges::find(all, what, [](const PolicyHook& hook) {
        return std::string_view(hook.decides);
    });
    return found == all.end() ? nullptr : found->function;
}

} // namespace mftpubsub
