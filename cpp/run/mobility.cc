/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "run/mobility.h"

#include "scenario/streams.h"
#include "wsn/line-mobility-model.h"
#include "wsn/manhattan-mobility-model.h"

#include "ns3/box.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/constant-velocity-mobility-model.h"
#include "ns3/double.h"
#include "ns3/gauss-markov-mobility-model.h"
#include "ns3/hierarchical-mobility-model.h"
#include "ns3/ns2-mobility-helper.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/position-allocator.h"
#include "ns3/random-variable-stream.h"
#include "ns3/random-walk-2d-mobility-model.h"
#include "ns3/random-waypoint-mobility-model.h"
#include "ns3/rectangle.h"
#include "ns3/steady-state-random-waypoint-mobility-model.h"
#include "ns3/string.h"
#include "ns3/waypoint-mobility-model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <stdexcept>

namespace mftpubsub
{

namespace
{

using Model = ns3::Ptr<ns3::MobilityModel>;

constexpr int64_t STREAMS_PER_MOBILE = 4;
constexpr int64_t STREAMS_PER_STEADY_STATE = 16;
constexpr int64_t STREAMS_PER_GAUSS_MARKOV = 8;
constexpr int64_t STREAMS_PER_REFERENCE = 8;

/// What groups of nodes move about, by the number of the group.
using References = std::map<uint32_t, Model>;

/// What a model is made for.
struct Place
{
    const Scenario& scenario;
    const MobilitySpec& mobility;
    ns3::Vector position; //!< at first, m
    uint32_t node;
    References& references;
};

/// @return a variable with values between @p low and @p high; one without draws if they are equal
ns3::Ptr<ns3::RandomVariableStream>
MakeVariable(double low, double high)
{
    if (low == high)
    {
        return ns3::CreateObjectWithAttributes<ns3::ConstantRandomVariable>("Constant",
                                                                            ns3::DoubleValue(low));
    }
    return ns3::CreateObjectWithAttributes<ns3::UniformRandomVariable>("Min",
                                                                       ns3::DoubleValue(low),
                                                                       "Max",
                                                                       ns3::DoubleValue(high));
}

Model
MakeStatic(const Place& place)
{
    const auto model = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
    model->SetPosition(place.position);
    return model;
}

Model
MakeRandomWaypoint(const Place& place)
{
    const auto points = ns3::CreateObject<ns3::RandomRectanglePositionAllocator>();
    points->SetX(ns3::CreateObjectWithAttributes<ns3::UniformRandomVariable>(
        "Max",
        ns3::DoubleValue(place.scenario.areaXMetres)));
    points->SetY(ns3::CreateObjectWithAttributes<ns3::UniformRandomVariable>(
        "Max",
        ns3::DoubleValue(place.scenario.areaYMetres)));
    points->SetZ(place.position.z);
    const auto& spec = place.mobility;
    const auto model = ns3::CreateObjectWithAttributes<ns3::RandomWaypointMobilityModel>(
        "Speed",
        ns3::PointerValue(MakeVariable(spec.minSpeed, spec.maxSpeed)),
        "Pause",
        ns3::PointerValue(MakeVariable(spec.minPauseSeconds, spec.maxPauseSeconds)),
        "PositionAllocator",
        ns3::PointerValue(points));
    model->AssignStreams(STREAM_MOBILITY + STREAMS_PER_MOBILE * place.node);
    model->SetPosition(place.position);
    return model;
}

Model
MakeSteadyStateWaypoint(const Place& place)
{
    const auto& spec = place.mobility;
    const auto model = ns3::CreateObjectWithAttributes<ns3::SteadyStateRandomWaypointMobilityModel>(
        "MinSpeed",
        ns3::DoubleValue(spec.minSpeed),
        "MaxSpeed",
        ns3::DoubleValue(spec.maxSpeed),
        "MinPause",
        ns3::DoubleValue(spec.minPauseSeconds),
        "MaxPause",
        ns3::DoubleValue(spec.maxPauseSeconds),
        "MinX", // 1 m by default
        ns3::DoubleValue(0),
        "MinY",
        ns3::DoubleValue(0),
        "MaxX",
        ns3::DoubleValue(place.scenario.areaXMetres),
        "MaxY",
        ns3::DoubleValue(place.scenario.areaYMetres),
        "Z",
        ns3::DoubleValue(place.position.z));
    model->AssignStreams(STREAM_STEADY_STATE + STREAMS_PER_STEADY_STATE * place.node);
    model->Initialize(); // draws the first position, which the channel asks for before time 0
    return model;
}

Model
MakeRandomWalk(const Place& place)
{
    const auto& spec = place.mobility;
    const auto model = ns3::CreateObjectWithAttributes<ns3::RandomWalk2dMobilityModel>(
        "Mode",
        ns3::StringValue("Time"),
        "Time",
        ns3::TimeValue(ns3::Seconds(spec.turnIntervalSeconds)),
        "Speed",
        ns3::PointerValue(MakeVariable(spec.minSpeed, spec.maxSpeed)),
        "Bounds",
        ns3::RectangleValue(
            ns3::Rectangle(0, place.scenario.areaXMetres, 0, place.scenario.areaYMetres)));
    model->AssignStreams(STREAM_MOBILITY + STREAMS_PER_MOBILE * place.node);
    model->SetPosition(place.position);
    return model;
}

Model
MakeLine(const Place& place)
{
    const auto& spec = place.mobility;
    const auto model = ns3::CreateObject<LineMobilityModel>();
    model->SetLine(place.position, {spec.toXMetres, spec.toYMetres, spec.toZMetres}, spec.maxSpeed);
    return model;
}

Model
MakeWaypoints(const Place& place)
{
    const auto model = ns3::CreateObject<ns3::WaypointMobilityModel>();
    for (const auto& point : place.mobility.waypoints)
    {
        model->AddWaypoint(
            {ns3::Seconds(point.seconds), {point.xMetres, point.yMetres, point.zMetres}});
    }
    return model;
}

/// @return normal draws about 0, none beyond four times @p sigma
ns3::Ptr<ns3::RandomVariableStream>
MakeNormal(double sigma)
{
    return ns3::CreateObjectWithAttributes<ns3::NormalRandomVariable>(
        "Mean",
        ns3::DoubleValue(0),
        "Variance",
        ns3::DoubleValue(sigma * sigma),
        "Bound",
        ns3::DoubleValue(4 * sigma));
}

Model
MakeGaussMarkov(const Place& place)
{
    const auto& spec = place.mobility;
    const auto model = ns3::CreateObjectWithAttributes<ns3::GaussMarkovMobilityModel>(
        "Bounds",
        ns3::BoxValue(ns3::Box(0,
                               place.scenario.areaXMetres,
                               0,
                               place.scenario.areaYMetres,
                               place.position.z,
                               place.position.z)),
        "TimeStep",
        ns3::TimeValue(ns3::Seconds(spec.turnIntervalSeconds)),
        "Alpha",
        ns3::DoubleValue(spec.memory),
        "MeanVelocity",
        ns3::PointerValue(MakeVariable(spec.minSpeed, spec.maxSpeed)),
        "MeanDirection",
        ns3::PointerValue(MakeVariable(0, 2 * std::numbers::pi)),
        "MeanPitch",
        ns3::PointerValue(MakeVariable(0, 0)));
    model->SetAttribute("NormalVelocity", ns3::PointerValue(MakeNormal(spec.speedSigma)));
    model->SetAttribute("NormalDirection", ns3::PointerValue(MakeNormal(spec.directionSigma)));
    model->SetAttribute("NormalPitch", ns3::PointerValue(MakeNormal(0)));
    model->AssignStreams(STREAM_GAUSS_MARKOV + STREAMS_PER_GAUSS_MARKOV * place.node);
    model->SetPosition(place.position);
    return model;
}

/// @return what the members of a group move about: a random waypoint that keeps so far from the
/// edges that all of them are inside
Model
MakeReference(const Place& place)
{
    const auto& spec = place.mobility;
    const auto points = ns3::CreateObject<ns3::RandomRectanglePositionAllocator>();
    const auto radius = spec.radiusMetres;
    points->SetX(MakeVariable(radius, place.scenario.areaXMetres - radius));
    points->SetY(MakeVariable(radius, place.scenario.areaYMetres - radius));
    const auto model = ns3::CreateObjectWithAttributes<ns3::RandomWaypointMobilityModel>(
        "Speed",
        ns3::PointerValue(MakeVariable(spec.minSpeed, spec.maxSpeed)),
        "Pause",
        ns3::PointerValue(MakeVariable(spec.minPauseSeconds, spec.maxPauseSeconds)),
        "PositionAllocator",
        ns3::PointerValue(points));
    model->AssignStreams(STREAM_REFERENCE + STREAMS_PER_REFERENCE * spec.group);
    model->SetPosition(points->GetNext());
    return model;
}

/// @return how a member moves about its reference, within a disc
Model
MakeMember(const Place& place)
{
    const auto& spec = place.mobility;
    const auto points = ns3::CreateObject<ns3::UniformDiscPositionAllocator>();
    points->SetRho(spec.radiusMetres);
    points->SetZ(place.position.z);
    points->AssignStreams(STREAM_MEMBER + place.node);
    const auto start = points->GetNext();
    if (spec.ownSpeed == 0)
    {
        const auto model = ns3::CreateObject<ns3::ConstantPositionMobilityModel>();
        model->SetPosition(start);
        return model;
    }
    const auto model = ns3::CreateObjectWithAttributes<ns3::RandomWaypointMobilityModel>(
        "Speed",
        ns3::PointerValue(MakeVariable(spec.ownSpeed, spec.ownSpeed)),
        "Pause",
        ns3::PointerValue(MakeVariable(0, 0)),
        "PositionAllocator",
        ns3::PointerValue(points));
    model->AssignStreams(STREAM_MOBILITY + STREAMS_PER_MOBILE * place.node);
    model->SetPosition(start);
    return model;
}

/// Reference-point group mobility (Hong et al. 1999).
Model
MakeGroup(const Place& place)
{
    auto& reference = place.references[place.mobility.group];
    if (!reference)
    {
        reference = MakeReference(place);
    }
    const auto model = ns3::CreateObject<ns3::HierarchicalMobilityModel>();
    model->SetParent(reference);
    model->SetChild(MakeMember(place));
    return model;
}

Model
MakeManhattan(const Place& place)
{
    const auto& spec = place.mobility;
    const auto model = ns3::CreateObject<ManhattanMobilityModel>();
    model->AssignStreams(STREAM_MOBILITY + STREAMS_PER_MOBILE * place.node);
    model->Begin({place.scenario.areaXMetres,
                  place.scenario.areaYMetres,
                  place.position.z,
                  spec.blockMetres,
                  spec.minSpeed,
                  spec.maxSpeed,
                  spec.straight});
    return model;
}

/// Moved by a file, which is read when all nodes are there. What it does not say is the height.
Model
MakeDriven(const Place& place)
{
    const auto model = ns3::CreateObject<ns3::ConstantVelocityMobilityModel>();
    model->SetPosition({0, 0, place.position.z});
    return model;
}

const std::map<std::string, Model (*)(const Place&)> MAKERS = {
    {"static", MakeStatic},
    {"random-waypoint", MakeRandomWaypoint},
    {"steady-state-waypoint", MakeSteadyStateWaypoint},
    {"random-walk", MakeRandomWalk},
    {"line", MakeLine},
    {"waypoints", MakeWaypoints},
    {"movement-file", MakeDriven},
    {"gauss-markov", MakeGaussMarkov},
    {"reference-point-groups", MakeGroup},
    {"manhattan", MakeManhattan},
};

Model
MakeModel(const Place& place)
{
    const auto maker = MAKERS.find(place.mobility.model);
    if (maker == MAKERS.end())
    {
        throw std::invalid_argument("no mobility model " + place.mobility.model);
    }
    return maker->second(place);
}

} // namespace

void
InstallMobility(const Scenario& scenario, const ns3::NodeContainer& nodes)
{
    const auto uniform = ns3::CreateObject<ns3::UniformRandomVariable>();
    uniform->SetStream(STREAM_PLACEMENT);
    References references;
    for (uint32_t id = 0; id < nodes.GetN(); ++id)
    {
        const auto& spec = scenario.nodes[id];
        // Drawn for given places too: the others' do not depend on who has one.
        ns3::Vector position(uniform->GetValue(0, scenario.areaXMetres),
                             uniform->GetValue(0, scenario.areaYMetres),
                             spec.zMetres);
        if (spec.isPlaced)
        {
            position = ns3::Vector(spec.xMetres, spec.yMetres, spec.zMetres);
        }
        if (const auto given = nodes.Get(id)->GetObject<ns3::MobilityModel>())
        {
            given->AssignStreams(STREAM_MOBILITY + STREAMS_PER_MOBILE * id);
            continue;
        }
        nodes.Get(id)->AggregateObject(
            MakeModel({scenario, spec.mobility, position, id, references}));
    }
    for (const auto& file : scenario.movementFiles)
    {
        ns3::NodeContainer followers;
        for (const auto id : file.nodes)
        {
            followers.Add(nodes.Get(id));
        }
        ns3::Ns2MobilityHelper(file.path).Install(followers.Begin(), followers.End());
    }
}

} // namespace mftpubsub
