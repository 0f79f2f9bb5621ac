// Places for the nodes of a run of which no positions are known: who talks to whom stands together.

import { forceCenter, forceLink, forceManyBody, forceSimulation } from "d3-force";
import type { Place, Run } from "./run";

const STEPS = 300;

interface Body {
  x?: number;
  y?: number;
}

export function layOut(run: Run): Place[] {
  const weights = new Map<number, number>();
  for (let frame = 0; frame < run.frameTime.length; frame++) {
    const one = run.frameNode[frame]!;
    const other = run.framePeer[frame]!;
    if (other >= 0) {
      const pair = Math.min(one, other) * run.nodes + Math.max(one, other);
      weights.set(pair, (weights.get(pair) ?? 0) + 1);
    }
  }
  const most = Math.max(1, ...weights.values());
  const bodies: Body[] = Array.from({ length: run.nodes }, () => ({}));
  const links = [...weights].map(([pair, weight]) => ({
    source: Math.floor(pair / run.nodes),
    target: pair % run.nodes,
    strength: weight / most,
  }));
  forceSimulation(bodies)
    .force("links", forceLink(links).distance(20).strength((link) => (link as unknown as { strength: number }).strength))
    .force("apart", forceManyBody().strength(-60))
    .force("centre", forceCenter(0, 0))
    .stop()
    .tick(STEPS);
  const xs = bodies.map((body) => body.x ?? 0);
  const ys = bodies.map((body) => body.y ?? 0);
  const span = Math.max(1, Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
  const middle = (values: number[]): number => (Math.min(...values) + Math.max(...values)) / 2;
  return bodies.map((_, i) => ({
    x: 50 + (90 * (xs[i]! - middle(xs))) / span,
    y: 50 + (90 * (ys[i]! - middle(ys))) / span,
  }));
}
