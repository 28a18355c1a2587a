// The operator has the paths of credentials and never reads them: credentials.ts is only in the bundles of zones.
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** Keys of a Secret that hold credentials: the keys that Flux uses. */
export const credentialKeys = ["username", "password", "bearerToken", "ca.crt", "identity", "known_hosts"];

/** A folder of credentials, and the targets of its links: on a laptop the files may be links to a user's keys. */
export function credentialPlaces(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  const folder = join(realpathSync(directory), "/");
  const files = credentialKeys.map((key) => join(directory, key)).filter((path) => existsSync(path));
  return [directory, ...files.map((path) => realpathSync(path)).filter((path) => !path.startsWith(folder))];
}
