// Places for the nodes of a run of which no positions are known: who talks to whom stands together.

import { forceCenter, forceLink, forceManyBody, forceSimulation } from "d3-force";
import type { Numbers } from "./decode";

const STEPS = 300;

export interface Place {
  x: number;
  y: number;
}

/** Who sends to whom: a frame's sender, and its receiver or -1. */
interface Talk {
  readonly nodes: number;
  readonly frameNode: Numbers;
  readonly framePeer: Numbers;
}

interface Body {
  x?: number;
  y?: number;
}

export function layOut(talk: Talk): Place[] {
  const weights = new Map<number, number>();
  for (let frame = 0; frame < talk.frameNode.length; frame++) {
    const one = talk.frameNode[frame]!;
    const other = talk.framePeer[frame]!;
    if (other >= 0) {
      const pair = Math.min(one, other) * talk.nodes + Math.max(one, other);
      weights.set(pair, (weights.get(pair) ?? 0) + 1);
    }
  }
  let most = 1;
  for (const weight of weights.values()) most = Math.max(most, weight);
  const bodies: Body[] = Array.from({ length: talk.nodes }, () => ({}));
  const links = [...weights].map(([pair, weight]) => ({
    source: Math.floor(pair / talk.nodes),
    target: pair % talk.nodes,
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
