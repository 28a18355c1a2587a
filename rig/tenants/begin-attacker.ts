import { folders, releaseNames } from "./actions.ts";
import { attackerPrograms } from "./programs.ts";
import { aConfigMap, deployFrom } from "./releases.ts";
import type { Tenant } from "./tenant.ts";

/** Number of actions between two checks. */
export const roundLength = 20;

/** The Release that shows whether the operator has observed a tenant's newest commit. No action changes it. */
export const probe = "probe";

/** Creates valid Releases of the attacker. */
export async function beginAttacker(attacker: Tenant): Promise<void> {
  const first = [probe, ...folders].map((folder) => [`${folder}/${probe}.json`, aConfigMap(folder, "first")]);
  attacker.commit({ ...attackerPrograms, ...Object.fromEntries(first) });
  for (const name of [probe, ...releaseNames]) await deployFrom(attacker, name);
}
