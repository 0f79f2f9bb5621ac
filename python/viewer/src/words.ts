// Frames, losses and lengths in words.

import { HEARD, isReceived, type Run } from "./run";

/** What the trace's causes of losses mean. */
const CAUSES: Record<string, string> = {
  UNSENT: "it never left its publisher: no broker had it",
  UNMATCHED: "brokers had it, and none matched it for this subscriber",
  STRANDED: "it was matched and handed on, but a later broker had no way on for it",
  RADIO: "given up on the air: the next hop did not get it",
  QUEUED: "it waited in a broker's queue when the run ended",
  IN_FLIGHT: "it was under way when the run ended",
  DROPPED_BY_QUEUE: "a queue dropped it",
  CRASHED: "it was on a node that crashed",
  NO_ROUTE: "no route was found in time",
  EXPIRED_ROUTE: "a node on the way had no route any more",
  NO_ADDRESS: "nobody answered for the next hop's address",
  TTL: "it made too many hops",
  MAC: "the MAC's buffer was full",
  UNKNOWN: "why is not known",
};

/** A text as rows that are at most so wide, px, in the font that is set; broken between words. */
export function folded(context: CanvasRenderingContext2D, text: string, width: number): string[] {
  const rows = [""];
  for (const word of text.split(" ")) {
    const longer = rows.at(-1) ? `${rows.at(-1)} ${word}` : word;
    if (rows.at(-1) && context.measureText(longer).width > width) rows.push(word);
    else rows[rows.length - 1] = longer;
  }
  return rows;
}

/** A frame in words. */
export function describeFrame(run: Run, frame: number): string {
  const to = run.framePeer[frame]!;
  const kind = run.told.kinds[run.frameKind[frame]!]!;
  if (run.told.texts) return run.told.texts[frame]!;
  const whom = to < 0 ? "everybody" : run.name(to);
  const text = `${run.frameTime[frame]!.toFixed(6)} s  ${kind}  ${run.name(run.frameNode[frame]!)} → ${whom}  ${run.frameBytes[frame]} B`;
  if (!run.hasHeard || run.isWired) return text;
  const fate = to < 0 ? "" : isReceived(run.heard(frame, to)) ? "  it got it;" : `  ${HEARD[run.heard(frame, to)]};`;
  const counts = [0, 0, 0, 0, 0, 0];
  for (let node = 0; node < run.nodes; node++) counts[run.heard(frame, node)]!++;
  const lost = [
    [counts[4], "interference"],
    [counts[5], "not receiving"],
    [counts[3], "bit errors"],
  ].filter(([count]) => count);
  const losses = lost.map(([count, why]) => `${count} ${why}`).join(", ");
  return `${text}${fate}  ${counts[1]! + counts[2]!} nodes received it${losses ? `, lost: ${losses}` : ""}`;
}

export function causeInWords(cause: string): string {
  return CAUSES[cause] ?? cause;
}

/** The greatest of 1, 2, 5, 10, ... that is at most `metres`. */
export function niceLength(metres: number): number {
  const power = 10 ** Math.floor(Math.log10(metres));
  return [5, 2, 1].map((digit) => digit * power).find((length) => length <= metres) ?? power;
}
