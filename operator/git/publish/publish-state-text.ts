import type { PublishState } from "../../ports.ts";

/** A state as text, to see when it changes. */
export function toText(state: PublishState): string {
  if (state.state === "published")
    return `${state.record.digest} ${state.record.tree} ${state.record.commit}`;
  return state.state === "pending" ? "pending" : `${state.reason} ${state.message}`;
}
