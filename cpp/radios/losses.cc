/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "radios/losses.h"

#include "scenario/streams.h"
#include "wsn/position-of.h"
#include "wsn/shadowing.h"
#include "wsn/walls.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace mftpubsub
{

namespace
{

constexpr double NOTHING_DBM = -1000; //!< no radio hears that

/// A part of the way of which nodes are known by their ids: shadowing by pairs, walls between them,
/// and links that are cut.
class PairLosses : public ns3::PropagationLossModel
{
  public:
    static ns3::TypeId GetTypeId()
    {
        static ns3::TypeId tid = ns3::TypeId("mftpubsub::PairLosses")
                                     .SetParent<ns3::PropagationLossModel>()
                                     .SetGroupName("mftpubsub");
        return tid;
    }

    PairLosses(const Scenario& scenario, const ns3::NodeContainer& nodes, Medium::LinkFilter isCut)
        : m_shadowing(MakeStreamKey(STREAM_SHADOWING), scenario.loss.sigmaDb, 0),
          m_isShadowed(scenario.loss.sigmaDb > 0),
          m_walls(scenario.walls),
          m_isCut(std::move(isCut))
    {
        for (NodeId id = 0; id < nodes.GetN(); ++id)
        {
            const auto mobility = nodes.Get(id)->GetObject<ns3::MobilityModel>();
            m_ids.emplace(ns3::PeekPointer(mobility), id);
        }
    }

  private:
    double DoCalcRxPower(double powerDbm,
                         ns3::Ptr<ns3::MobilityModel> one,
                         ns3::Ptr<ns3::MobilityModel> other) const override
    {
        const auto from = m_ids.find(ns3::PeekPointer(one));
        const auto to = m_ids.find(ns3::PeekPointer(other));
        if (from == m_ids.end() || to == m_ids.end())
        {
            return powerDbm; // a place that somebody asks about
        }
        if (m_isCut(from->second, to->second))
        {
            return NOTHING_DBM;
        }
        if (!m_walls.IsEmpty())
        {
            powerDbm -= m_walls.GetLossDb(PositionOf(*one), PositionOf(*other));
        }
        return m_isShadowed ? powerDbm - m_shadowing.Get(from->second, to->second) : powerDbm;
    }

    int64_t DoAssignStreams(int64_t) override
    {
        return 0;
    }

    std::unordered_map<const ns3::MobilityModel*, NodeId> m_ids;
    Shadowing m_shadowing;
    bool m_isShadowed;
    Walls m_walls;
    Medium::LinkFilter m_isCut;
};

ns3::Ptr<ns3::PropagationLossModel>
MakeMean(const LossSpec& spec)
{
    if (spec.model == "friis")
    {
        return ns3::CreateObjectWithAttributes<ns3::FriisPropagationLossModel>(
            "Frequency",
            ns3::DoubleValue(spec.frequencyHz));
    }
    if (spec.model == "two-ray")
    {
        return ns3::CreateObjectWithAttributes<ns3::TwoRayGroundPropagationLossModel>(
            "Frequency",
            ns3::DoubleValue(spec.frequencyHz),
            "HeightAboveZ",
            ns3::DoubleValue(spec.heightMetres));
    }
    if (spec.model != "log-distance" && spec.model != "nakagami")
    {
        throw std::invalid_argument("no loss model " + spec.model);
    }
    return ns3::CreateObjectWithAttributes<ns3::LogDistancePropagationLossModel>(
        "Exponent",
        ns3::DoubleValue(spec.exponent),
        "ReferenceLoss",
        ns3::DoubleValue(spec.referenceLossDb),
        "ReferenceDistance",
        ns3::DoubleValue(spec.referenceMetres));
}

ns3::Ptr<ns3::PropagationLossModel>
MakeFading(const LossSpec& spec)
{
    const auto fading = ns3::CreateObjectWithAttributes<ns3::NakagamiPropagationLossModel>(
        "m0",
        ns3::DoubleValue(spec.nearM),
        "m1",
        ns3::DoubleValue(spec.middleM),
        "m2",
        ns3::DoubleValue(spec.farM),
        "Distance1",
        ns3::DoubleValue(spec.nearMetres),
        "Distance2",
        ns3::DoubleValue(spec.farMetres));
    fading->AssignStreams(STREAM_FADING);
    return fading;
}

} // namespace

Losses
MakeLosses(const Scenario& scenario,
           const ns3::NodeContainer& nodes,
           const Medium::LinkFilter& isCut)
{
    const LossSpec& spec = scenario.loss;
    const auto make = [&] {
        const auto mean = MakeMean(spec);
        mean->SetNext(ns3::CreateObject<PairLosses>(scenario, nodes, isCut));
        return mean;
    };
    Losses losses{make(), make()};
    if (spec.model == "nakagami")
    {
        // Before what is cut, which would be as random otherwise.
        const auto fading = MakeFading(spec);
        fading->SetNext(losses.all->GetNext());
        losses.all->SetNext(fading);
    }
    return losses;
}

namespace
{

/// @return the strength in dBm at a distance in metres
double
StrengthAt(const ns3::Ptr<ns3::PropagationLossModel>& losses, double powerDbm, double metres)
{
    const auto one = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
    const auto other = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
    other->SetPosition({metres, 0, 0});
    return losses->CalcRxPower(powerDbm, one, other);
}

/// @return the middle, in [low, high], of where @p isBelow ends
double
Bisect(double low, double high, const std::function<bool(double)>& isBelow)
{
    constexpr int STEPS = 60;
    for (int i = 0; i < STEPS; ++i)
    {
        const auto middle = (low + high) / 2;
        (isBelow(middle) ? low : high) = middle;
    }
    return low;
}

} // namespace

LinkBudget
MakeBudget(const ns3::Ptr<ns3::PropagationLossModel>& steady, double powerDbm, double thresholdDbm)
{
    constexpr double LONGEST_METRES = 1e6;
    const LinkBudget thesis;
    const auto decades = std::log10(LONGEST_METRES);
    LinkBudget budget;
    budget.thresholdDbm = thresholdDbm;
    budget.oneMetreDbm = StrengthAt(steady, powerDbm, 1);
    const auto reach = Bisect(0, decades, [&](double decade) {
        return StrengthAt(steady, powerDbm, std::pow(10, decade)) >= thresholdDbm;
    });
    budget.decadeDb = std::max(1.0, (budget.oneMetreDbm - thresholdDbm) / std::max(reach, 0.1));
    // A hop is as much of the reach as in the thesis's network.
    const auto share =
        std::log10(thesis.hopMetres) - (thesis.oneMetreDbm - thesis.thresholdDbm) / thesis.decadeDb;
    budget.hopMetres = std::pow(10, reach + share);
    return budget;
}

double
FindThreshold(const std::function<double(double dbm)>& success)
{
    constexpr double NEVER = 1e-6;
    return Bisect(-200, 50, [&](double dbm) { return success(dbm) < NEVER; });
}

} // namespace mftpubsub
