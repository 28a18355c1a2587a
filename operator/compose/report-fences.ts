import { readFence } from "../cluster/fence-reader.ts";
import type { SharedParts } from "./shared-parts.ts";

/**
 * Logs whether each configured fence of the API server is in force. This is only a report: the operator has a fence of
 * its own, and works without them.
 */
export async function reportFences({
  config,
  transport,
  log,
  metrics,
}: Pick<SharedParts, "config" | "transport" | "log" | "metrics">): Promise<void> {
  await Promise.all(
    config.fences.map(async (fence) => {
      const found = await readFence(fence, transport);
      if (found.state !== "unknown") metrics?.fences.found(fence, found.state === "in-force");
      if (found.state === "in-force") log.info("Writes are fenced by the API server", { fence });
      else if (found.state === "missing")
        log.warn("Writes are not fenced by the API server", { fence, missing: found.what });
      else
        log.warn("Cannot determine whether writes are fenced by the API server", { fence, why: found.why });
    }),
  );
}
