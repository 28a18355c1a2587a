import type { HeapNode } from "./heap.ts";

/** A key in the queue. `held`: ready, but a worker is still processing the same key. */
export interface QueueEntry extends HeapNode {
  readonly key: string;
  priority: number;
  /** When a waiting entry becomes due; when another one became ready. */
  atMs: number;
  /** Among the ready ones. */
  turn: number;
  /** Order of arrival in its current place. */
  arrival: number;
  place: "waiting" | "ready" | "held";
}

/** The order in which workers get ready keys. */
export function comesBefore(a: QueueEntry, b: QueueEntry): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority;
  return a.turn === b.turn ? a.arrival < b.arrival : a.turn < b.turn;
}
