import { isWireFault, type WireFaultType } from "./fault-types.ts";
import type { Chance } from "./random.ts";
import type { Fault } from "./schedule.ts";

export type Traffic = "lease" | "watches" | "objects";

export interface WireFault extends Fault {
  readonly type: WireFaultType;
}

/** The current faults of the connection. */
export class ActiveFaults {
  readonly #active = new Set<WireFault>();
  readonly #chance: Chance;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  begin(fault: WireFault): void {
    this.#active.add(fault);
  }

  end(fault: WireFault): void {
    this.#active.delete(fault);
  }

  clear(): void {
    this.#active.clear();
  }

  /** The fault of a request, if any: the first applicable one that is chosen at random. */
  pick(slot: number, traffic: Traffic): WireFault | undefined {
    for (const fault of this.#active)
      if (isMeant(fault, slot, traffic) && this.#chance.isHit(fault.share)) return fault;
    return undefined;
  }

  /** The fault of the next event of an open watch. */
  pickForEvent(slot: number): WireFault | undefined {
    for (const fault of this.#active)
      if (cutters.has(fault.type) && isMeant(fault, slot, "watches") && this.#chance.isHit(fault.share))
        return fault;
    return undefined;
  }
}

const cutters: ReadonlySet<string> = new Set(["half-event", "watch-cut"]);

/** Whether a fault affects this traffic. A fault of watches affects only watches, regardless of its traffic. */
function isMeant({ target, traffic, type }: WireFault, slot: number, of: Traffic): boolean {
  if (target !== "both" && target !== slot) return false;
  if (cutters.has(type)) return of === "watches";
  return traffic === "all" || traffic === of;
}

export function asWireFault(fault: Fault): WireFault | undefined {
  return isWireFault(fault.type) ? { ...fault, type: fault.type } : undefined;
}

export function trafficOf(path: string): Traffic {
  if (path.includes("/leases/") || path.includes("/leases?") || path.endsWith("/leases")) return "lease";
  return /[?&]watch=true/.test(path) ? "watches" : "objects";
}
