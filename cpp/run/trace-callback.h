/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RUN_TRACE_CALLBACK_H
#define MFTPUBSUB_RUN_TRACE_CALLBACK_H

#include "ns3/callback.h"

#include <functional>
#include <string>
#include <utility>

namespace mftpubsub
{

/**
 * Makes an ns-3 callback of a function for a trace source, whose signature is the type that it
 * names (ns3::TypeId::TraceSourceInformation::callback). For Python, which has no signatures.
 */
template <typename Signature>
struct TraceCallback;

template <typename... Arguments>
struct TraceCallback<void (*)(Arguments...)>
{
    using Function = std::function<void(Arguments...)>;

    static ns3::CallbackBase Make(Function function)
    {
        return ns3::Callback<void, Arguments...>(std::move(function));
    }
};

/// cppyy 3.5 wraps no function of Python's that takes a std::string.
template <typename... Arguments>
struct TraceCallback<void (*)(const std::string&, Arguments...)>
{
    using Function = std::function<void(const char*, Arguments...)>;

    static ns3::CallbackBase Make(Function function)
    {
        return ns3::Callback<void, const std::string&, Arguments...>(
            [function = std::move(function)](const std::string& text, Arguments... others) {
                function(text.c_str(), std::forward<Arguments>(others)...);
            });
    }
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_TRACE_CALLBACK_H */
