// The operator knows where credentials are, and never reads them: credentials.ts is in the bundles of zones alone.
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** Keys of a Secret that are credentials: those that Flux uses. */
export const credentialKeys = ["username", "password", "bearerToken", "ca.crt", "identity", "known_hosts"];

/** A folder of credentials, and what is elsewhere of the files in it: on a laptop they may be links to a user's keys. */
export function credentialPlaces(directory: string): readonly string[] {
  if (!existsSync(directory)) return [];
  const folder = join(realpathSync(directory), "/");
  const files = credentialKeys.map((key) => join(directory, key)).filter((path) => existsSync(path));
  return [directory, ...files.map((path) => realpathSync(path)).filter((path) => !path.startsWith(folder))];
}
