/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef MFTPUBSUB_RUN_TRACE_CALLBACK_H
#define MFTPUBSUB_RUN_TRACE_CALLBACK_H

#include "ns3/callback.h"

#include <functional>
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
    static ns3::CallbackBase Make(std::function<void(Arguments...)> function)
    {
        return ns3::Callback<void, Arguments...>(std::move(function));
    }
};

} // namespace mftpubsub

#endif /* MFTPUBSUB_RUN_TRACE_CALLBACK_H */
