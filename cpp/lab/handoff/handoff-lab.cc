/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "lab/handoff/handoff-lab.h"

#include "lab/handoff/handoff-lab-state.h"
#include "lab/tree/tree-lab.h"

namespace mftpubsub
{

HandoffLab::HandoffLab(const HandoffLabOptions& options)
{
    try
    {
        m_state = std::make_unique<HandoffLabState>(options);
    }
    catch (const LabError&)
    {
        throw;
    }
    catch (const std::invalid_argument& error)
    {
        throw LabError(error.what());
    }
}

HandoffLab::~HandoffLab() = default;

void
HandoffLab::Subscribe(const std::string& subscriber,
                      const std::string& at,
                      const std::string& where,
                      const std::string& user)
{
    try
    {
        const auto filter = Filter::Parse(where.empty() ? "1 = 1" : where);
        const auto other = user.empty() ? NO_NODE : m_state->GetNames().FindSubscriber(user);
        m_state->Subscribe(subscriber, m_state->GetNames().FindBroker(at), filter, other);
    }
    catch (const FilterError& error)
    {
        throw LabError(std::string("bad filter: ") + error.what());
    }
}

void
HandoffLab::Unsubscribe(const std::string& subscriber)
{
    m_state->Unsubscribe(m_state->GetNames().FindSubscriber(subscriber));
}

void
HandoffLab::Publish(const std::string& event, const std::string& at)
{
    m_state->Publish(event, at.empty() ? NodeId{1} : m_state->GetNames().FindBroker(at));
}

void
HandoffLab::Connect(const std::string& subscriber, const std::string& broker)
{
    m_state->Connect(m_state->GetNames().FindSubscriber(subscriber),
                     m_state->GetNames().FindBroker(broker));
}

void
HandoffLab::Disconnect(const std::string& subscriber)
{
    m_state->Disconnect(m_state->GetNames().FindSubscriber(subscriber));
}

void
HandoffLab::MoveOut(const std::string& subscriber, bool keep)
{
    m_state->MoveOut(m_state->GetNames().FindSubscriber(subscriber), keep);
}

void
HandoffLab::Ping(const std::string& subscriber, const std::string& broker, double milliseconds)
{
    m_state->Ping(m_state->GetNames().FindSubscriber(subscriber),
                  m_state->GetNames().FindBroker(broker),
                  milliseconds);
}

void
HandoffLab::Balance()
{
    m_state->Balance();
}

void
HandoffLab::Hold(const std::string& from, const std::string& to)
{
    m_state->GetLinks().Hold(
        {m_state->GetNames().FindBroker(from), m_state->GetNames().FindBroker(to)});
}

void
HandoffLab::Release(const std::string& from, const std::string& to)
{
    if (!m_state->GetLinks().Release(
            {m_state->GetNames().FindBroker(from), m_state->GetNames().FindBroker(to)}))
    {
        throw LabError(from + "->" + to + " is not held");
    }
}

void
HandoffLab::TimeOut(const std::string& subscriber, const std::string& broker)
{
    m_state->TimeOut(m_state->GetNames().FindSubscriber(subscriber),
                     m_state->GetNames().FindBroker(broker));
}

void
HandoffLab::AddEdge(const std::string& one, const std::string& other)
{
    m_state->AddEdge(m_state->GetNames().FindBroker(one), m_state->GetNames().FindBroker(other));
}

bool
HandoffLab::Step()
{
    return m_state->Deliver({});
}

void
HandoffLab::StepLink(const std::string& from, const std::string& to)
{
    const auto& names = m_state->GetNames();
    if (!m_state->DeliverFrom({names.FindBroker(from), names.FindBroker(to)}))
    {
        throw LabError("no message comes next from " + from + " to " + to);
    }
}

std::vector<std::pair<std::string, std::string>>
HandoffLab::GetReady() const
{
    std::vector<std::pair<std::string, std::string>> ready;
    for (const auto& [from, to] : m_state->GetLinks().GetReady())
    {
        ready.emplace_back(m_state->GetNames().Name(from), m_state->GetNames().Name(to));
    }
    return ready;
}

bool
HandoffLab::StepChoice(uint64_t choice)
{
    return m_state->Deliver(choice);
}

void
HandoffLab::Settle(uint64_t limit)
{
    for (uint64_t steps = 0; m_state->Deliver({}); ++steps)
    {
        if (steps == limit)
        {
            throw std::runtime_error(std::to_string(limit) + " steps did not end it");
        }
    }
}

std::vector<LabLine>
HandoffLab::TakeLog()
{
    return m_state->TakeLog();
}

LabPicture
HandoffLab::Draw() const
{
    return m_state->Draw();
}

std::vector<std::string>
HandoffLab::GetStates(const std::string& subscriber) const
{
    return m_state->GetStates(m_state->GetNames().FindSubscriber(subscriber));
}

std::vector<std::string>
HandoffLab::FindViolations() const
{
    return m_state->FindViolations();
}

uint64_t
HandoffLab::CountDuplicates() const
{
    return m_state->CountDuplicates();
}

uint64_t
HandoffLab::CountDisorder() const
{
    return m_state->CountDisorder();
}

uint64_t
HandoffLab::CountMessages() const
{
    return m_state->GetLinks().CountSent();
}

std::vector<std::string>
GetHandoffSchemes()
{
    std::vector<std::string> names;
    for (const auto& scheme : handoff::GetSchemes())
    {
        names.push_back(scheme.name);
    }
    return names;
}

} // namespace mftpubsub
