import type { HeapNode } from "./heap.ts";

/** A key in the queue. `held`: ready, but the same key is still in a worker's hands. */
export interface QueueEntry extends HeapNode {
  readonly key: string;
  priority: number;
  /** When a waiting entry becomes due; when another one became ready. */
  atMs: number;
  /** Of those that are ready. */
  turn: number;
  /** Order of arrival in its present place. */
  arrival: number;
  place: "waiting" | "ready" | "held";
}

/** The order in which keys that are ready are handed out. */
export function comesBefore(a: QueueEntry, b: QueueEntry): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority;
  return a.turn === b.turn ? a.arrival < b.arrival : a.turn < b.turn;
}
