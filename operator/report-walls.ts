import type { Ground } from "./ground.ts";
import { describeMissingWalls } from "./sandbox/kernel-walls.ts";

/** Reports which layers of the sandbox the kernel has, once, where Releases may bring programs. */
export function reportWalls({
  walls,
  config,
  log,
  metrics,
}: Pick<Ground, "walls" | "config" | "log" | "metrics">): void {
  if (!config.releases) return;
  const { landlockAbi, inForce, missing } = walls;
  metrics?.sandbox.found({ inForce, missing });
  const gap = describeMissingWalls(walls);
  const fields = { inForce, missing, landlockAbi };
  if (gap === undefined) log.info("The kernel keeps programs of Releases apart", fields);
  else if (config.releaseRequireSandbox)
    log.warn("Programs of Releases are refused", { ...fields, reason: gap });
  else log.warn("The kernel does not keep programs of Releases apart", { ...fields, reason: gap });
}
