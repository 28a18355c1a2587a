import type { HookOutcome } from "../../hooks/hook.ts";
import { readHookFolder } from "../../hooks/hook-folder.ts";
import { serveHooks } from "../../hooks/serve-hooks.ts";
import type { Clock, Logger } from "../../ports.ts";
import type { CountsItem } from "./messages.ts";
import type { SourceService } from "./source-service.ts";

export interface ZoneHooksOptions {
  readonly address: string;
  /** Folder of the secrets. */
  readonly secrets: string;
  readonly service: Pick<SourceService, "urls" | "sources" | "leader">;
  readonly observe: (outcome: HookOutcome) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Interval between attempts to listen at an address that is in use. */
const RETRY_MS = 5_000;

/** Serves hooks in the source zone. A hook polls the zone's sources at once; the operator is notified of changes. */
export async function serveZoneHooks(options: ZoneHooksOptions): Promise<void> {
  const { address, secrets, service, clock, log } = options;
  try {
    const server = await serveHooks(address, {
      ...options,
      hooks: readHookFolder(secrets, { clock, log }),
      urls: service.urls,
      refresh: (url, pushed) => service.sources.refresh({ url, pushed }),
      leader: service.leader,
    });
    if (server !== undefined) log.info("Listening", { serves: "hooks", address: server.address });
  } catch (error) {
    // Sources are polled on schedule even without hooks.
    log.error("Cannot serve hooks, retrying", { address, error });
    clock.schedule(RETRY_MS, () => void serveZoneHooks(options));
  }
}

/** Counts hooks by their outcomes. */
export function countHooks(): {
  readonly observe: (outcome: HookOutcome) => void;
  readonly counts: CountsItem["hooks"];
} {
  const counts: CountsItem["hooks"] = {};
  const observe = (outcome: HookOutcome): void => {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  };
  return { observe, counts };
}
