import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ReleaseError } from "../../desire/release/errors.ts";
import { type GitCredentials, httpsCredentials, sshCredentials } from "../credentials.ts";
import type { RemoteUrl } from "../remote-url.ts";
import type { SecretData } from "./tenant.ts";

const nothing: GitCredentials = { settings: [], sshCommand: undefined, secrets: [] };

/**
 * Makes credentials of a Secret. Only what git and ssh cannot take otherwise is written to files: certificates, and the
 * key and known hosts of ssh. Remove the folder after use.
 *
 * @param directory A folder of ours that does not exist yet.
 * @throws ReleaseError `SourceInvalid` when an entry that the protocol needs is missing, naming it.
 */
export async function writeCredentials(
  secret: SecretData | undefined,
  remote: RemoteUrl,
  directory: string,
): Promise<GitCredentials> {
  if (remote.protocol === "file") return nothing;
  if (secret === undefined) {
    // Without a key of its own ssh would try those of the user that the operator runs as.
    if (remote.protocol === "ssh") {
      throw new ReleaseError("SourceInvalid", "Cannot use the source: an ssh repository needs secretRef");
    }
    return nothing;
  }
  return remote.protocol === "ssh"
    ? await writeSsh(secret, directory)
    : await writeHttps(secret, remote.url, directory);
}

async function writeSsh(secret: SecretData, directory: string): Promise<GitCredentials> {
  const [identity, hosts] = [textOf(secret, "identity"), textOf(secret, "known_hosts")];
  if (identity === undefined || hosts === undefined) {
    const missing = identity === undefined ? "identity" : "known_hosts";
    throw invalid(`an ssh repository needs the entry "${missing}"`);
  }
  // ssh reads no key with carriage returns or without a line end.
  await writeSecretFile(directory, "identity", `${identity.replaceAll("\r", "")}\n`);
  await writeSecretFile(directory, "known_hosts", `${hosts}\n`);
  return sshCredentials(directory);
}

async function writeHttps(secret: SecretData, url: string, directory: string): Promise<GitCredentials> {
  const [username, password, token, ca] = ["username", "password", "bearerToken", "ca.crt"].map((key) =>
    textOf(secret, key),
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line break would begin another header
  if (token !== undefined && /[\u0000-\u001f\u007f]/.test(token))
    throw invalid('"bearerToken" has a line break or another control character');
  const caFile = ca === undefined ? undefined : await writeSecretFile(directory, "ca.crt", `${ca}\n`);
  const credentials = httpsCredentials({ username, password, token, caFile }, url);
  if (credentials !== undefined) return credentials;
  // A certificate alone is enough for a repository that everybody may read.
  if (caFile !== undefined && username === undefined && password === undefined) {
    return { settings: [["http.sslCAInfo", caFile]], sshCommand: undefined, secrets: [] };
  }
  throw invalid('an https repository needs the entries "username" and "password", or "bearerToken"');
}

async function writeSecretFile(directory: string, name: string, text: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, name);
  await writeFile(path, text, { mode: 0o600, flag: "wx" });
  return path;
}

/** Takes the files away that {@link writeCredentials} wrote. */
export async function removeCredentials(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true });
}

/** Without the line end that editors add; undefined if there is nothing in it. */
function textOf(secret: SecretData, key: string): string | undefined {
  return secret.get(key)?.replace(/\r?\n$/, "") || undefined;
}

function invalid(why: string): ReleaseError {
  return new ReleaseError("SourceInvalid", `Cannot use the Secret of the source: ${why}`);
}
