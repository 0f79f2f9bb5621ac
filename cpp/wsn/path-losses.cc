/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "wsn/path-losses.h"

#include "wsn/counter-random.h"

#include <cmath>
#include <limits>

namespace mftpubsub
{

namespace
{

/// Power for which Castalia's tables of path losses are made (point 5), dBm.
constexpr float TABLE_TX_POWER_DBM = 0.0F;

/// Buckets of the grid for the radius of a search. Small ones waste less of their area at the
/// circle's edge.
constexpr double BUCKETS_PER_RADIUS = 8;

uint64_t
PairKey(uint32_t from, uint32_t to)
{
    return (uint64_t{from} << 32) | to;
}

} // namespace

void
PathLosses::Prepare(const PathLossSettings& settings)
{
    m_isPrepared = true;
    m_settings = settings;
    m_shadowing.emplace(MakeStreamKey(settings.stream),
                        settings.sigma,
                        settings.bidirectionalSigma);
    const double reach = TABLE_TX_POWER_DBM - settings.deliveryThresholdDbm -
                         settings.referenceLossDb + 3 * settings.sigma;
    // Finite and not 0, whatever the settings are: buckets of this size are counted.
    m_cutDistance = static_cast<float>(std::clamp<double>(
        settings.referenceDistance * std::pow(10.0, reach / (10.0 * settings.exponent)),
        std::numeric_limits<float>::min(),
        std::numeric_limits<float>::max()));
    if (settings.mode == PathLossMode::MOBILE)
    {
        m_cellLosses.Divide(settings.fieldX, settings.fieldY, settings.cellSize);
        m_cellLosses.Compute([this](float distance) { return MeanLoss(distance); },
                             m_cutDistance,
                             TABLE_TX_POWER_DBM - settings.deliveryThresholdDbm,
                             *m_shadowing,
                             m_settings.walls);
    }
    else
    {
        m_neighbours.resize(m_places.size());
    }
    ResetGrid();
    for (uint32_t i = 0; i < m_places.size(); ++i)
    {
        const Position& place = m_places[i];
        m_grid.Add(i, place.x, place.y);
        m_cells.push_back(settings.mode == PathLossMode::MOBILE ? m_cellLosses.CellOf(place)
                                                                : Cell{i, 0, 0});
    }
}

void
PathLosses::ResetGrid()
{
    double minX = 0;
    double minY = 0;
    double maxX = 0;
    double maxY = 0;
    if (m_settings.mode != PathLossMode::STATIC)
    {
        maxX = m_settings.fieldX;
        maxY = m_settings.fieldY;
    }
    else
    {
        for (const Position& place : m_places)
        {
            minX = std::min(minX, place.x);
            minY = std::min(minY, place.y);
            maxX = std::max(maxX, place.x);
            maxY = std::max(maxY, place.y);
        }
    }
    // Where everybody may hear everybody there is nothing to search.
    const bool isSmall = std::hypot(maxX - minX, maxY - minY) <= m_cutDistance;
    m_grid.Reset(minX,
                 minY,
                 maxX,
                 maxY,
                 isSmall ? m_cutDistance : m_cutDistance / BUCKETS_PER_RADIUS);
}

bool
PathLosses::IsPrepared() const
{
    return m_isPrepared;
}

void
PathLosses::Add()
{
    m_places.emplace_back();
}

bool
PathLosses::Place(uint32_t device, const Position& position)
{
    Position& place = m_places[device];
    if (!m_isPrepared)
    {
        place = position;
        return true;
    }
    if (place == position)
    {
        return false;
    }
    m_grid.Move(device, place.x, place.y, position.x, position.y);
    place = position;
    if (m_settings.mode != PathLossMode::MOBILE)
    {
        return true;
    }
    const Cell cell = m_cellLosses.CellOf(position);
    const Cell& old = m_cells[device];
    const bool changed = cell.index != old.index || cell.height != old.height;
    m_cells[device] = cell;
    return changed;
}

const Position&
PathLosses::GetPlace(uint32_t device) const
{
    return m_places[device];
}

void
PathLosses::ForgetNeighbours()
{
    for (auto& neighbours : m_neighbours)
    {
        neighbours.reset();
    }
}

void
PathLosses::SetTable(const PathLossSettings& settings, std::span<const PathLossEntry> entries)
{
    if (settings.mode == PathLossMode::MOBILE)
    {
        m_cellLosses.Divide(settings.fieldX, settings.fieldY, settings.cellSize);
        m_cellLosses.SetTable(entries);
        return;
    }
    if (!m_explicitPairs)
    {
        m_explicitPairs.emplace();
    }
    for (const auto& [from, to, lossDb] : entries)
    {
        (*m_explicitPairs)[PairKey(from, to)] = lossDb;
    }
}

float
PathLosses::MeanLoss(float distance) const
{
    if (distance < m_settings.referenceDistance / 10)
    {
        return 0.0F;
    }
    return static_cast<float>(m_settings.referenceLossDb +
                              10.0 * m_settings.exponent *
                                  std::log10(distance / m_settings.referenceDistance));
}

float
PathLosses::PairDistance(uint32_t from, uint32_t to) const
{
    return static_cast<float>(GetDistance(m_places[from], m_places[to]));
}

float
PathLosses::Distance(uint32_t from, uint32_t to) const
{
    return m_settings.mode == PathLossMode::MOBILE
               ? m_cellLosses.GetDistance(m_cells[from], m_cells[to])
               : PairDistance(from, to);
}

double
PathLosses::WallLoss(uint32_t from, uint32_t to) const
{
    if (m_settings.mode == PathLossMode::MOBILE)
    {
        return m_cellLosses.GetWallLossDb(m_cells[from], m_cells[to]);
    }
    return m_settings.walls.GetLossDb(m_places[from], m_places[to]);
}

float
PathLosses::CutLoss(float lossDb) const
{
    return TABLE_TX_POWER_DBM - lossDb < m_settings.deliveryThresholdDbm ? NEVER_DELIVERED : lossDb;
}

float
PathLosses::PairLoss(uint32_t from, uint32_t to) const
{
    if (m_explicitPairs)
    {
        const auto entry = m_explicitPairs->find(PairKey(from, to));
        return entry == m_explicitPairs->end() ? NEVER_DELIVERED : entry->second;
    }
    if (PairDistance(from, to) > m_cutDistance)
    {
        return NEVER_DELIVERED;
    }
    return CutLoss(static_cast<float>(GetUncut(from, to)));
}

double
PathLosses::GetMean(uint32_t from, uint32_t to) const
{
    return MeanLoss(Distance(from, to)) + WallLoss(from, to);
}

double
PathLosses::GetUncut(uint32_t from, uint32_t to) const
{
    const double mean = GetMean(from, to);
    if (m_cells[from].index == m_cells[to].index ||
        Distance(from, to) < m_settings.referenceDistance / 10)
    {
        return mean;
    }
    return mean + m_shadowing->Get(m_cells[from].index, m_cells[to].index);
}

double
PathLosses::Get(uint32_t from, uint32_t to)
{
    return m_settings.mode == PathLossMode::MOBILE ? m_cellLosses.Get(m_cells[from], m_cells[to])
                                                   : PairLoss(from, to);
}

const std::vector<PathLosses::Neighbour>&
PathLosses::NeighboursOf(uint32_t device)
{
    auto& neighbours = m_neighbours[device];
    if (!neighbours)
    {
        neighbours = std::make_unique<std::vector<Neighbour>>();
        const auto consider = [&](uint32_t other) {
            if (other != device)
            {
                if (const float loss = PairLoss(device, other); loss != NEVER_DELIVERED)
                {
                    neighbours->push_back({other, loss});
                }
            }
        };
        if (m_explicitPairs)
        {
            for (uint32_t other = 0; other < m_places.size(); ++other)
            {
                consider(other);
            }
        }
        else
        {
            m_grid.Visit(m_places[device].x, m_places[device].y, m_cutDistance, consider);
            std::sort(neighbours->begin(), neighbours->end(), [](const auto& a, const auto& b) {
                return a.device < b.device;
            });
        }
    }
    return *neighbours;
}

std::span<const uint32_t>
PathLosses::FindCandidates(uint32_t from)
{
    m_candidates.resize(m_places.size());
    uint32_t* end = m_candidates.data();
    const auto consider = [&end](uint32_t device) { *end++ = device; };
    if (m_cellLosses.HasTable())
    {
        for (uint32_t device = 0; device < m_places.size(); ++device)
        {
            consider(device);
        }
    }
    else
    {
        // Distances are between cell origins: two cells apart more at most.
        const Position& place = m_places[from];
        m_grid.Visit(
            std::clamp(place.x, 0.0, m_settings.fieldX), // outside counts to the nearest cell
            std::clamp(place.y, 0.0, m_settings.fieldY),
            m_cutDistance + 2 * m_settings.cellSize,
            consider);
    }
    return {m_candidates.data(), end};
}

} // namespace mftpubsub
