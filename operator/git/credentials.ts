import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GitError } from "./git-errors.ts";
import type { RemoteUrl } from "./remote-url.ts";

/** What git needs to authenticate once. None of it is passed as an argument or as part of a URL. */
export interface GitCredentials {
  /** Settings for the environment (`GIT_CONFIG_KEY_n`, `GIT_CONFIG_VALUE_n`). */
  readonly settings: readonly (readonly [key: string, value: string])[];
  readonly sshCommand: string | undefined;
  /** Texts that must not appear in any message. */
  readonly secrets: readonly string[];
}

/** Keys of credentials for HTTPS, in the order of {@link HttpsCredentials}. */
const httpsKeys = ["username", "password", "bearerToken", "ca.crt"];

const none: GitCredentials = { settings: [], sshCommand: undefined, secrets: [] };

/** Host keys are always checked, there are no prompts, and no configuration is read. */
const strictSsh = "-F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=yes -o ConnectTimeout=15";

/**
 * Reads a mounted Secret with the keys that Flux uses: `username` and `password`, or `bearerToken`, and `ca.crt` for
 * https; `identity` and `known_hosts` for ssh. Call it for every use, so that a rotated Secret takes effect at once.
 *
 * @param directory Undefined where the remote needs no credentials.
 * @throws GitError `Credentials` when a file that the protocol needs is missing.
 */
export async function readCredentials(
  directory: string | undefined,
  remote: RemoteUrl,
): Promise<GitCredentials> {
  if (remote.protocol === "file") return none;
  if (directory === undefined)
    return remote.protocol === "ssh" ? { ...none, sshCommand: `ssh ${strictSsh}` } : none;
  return remote.protocol === "ssh" ? await readSsh(directory) : await readHttps(directory, remote.url);
}

async function readSsh(directory: string): Promise<GitCredentials> {
  const [identity, hosts] = await Promise.all(
    ["identity", "known_hosts"].map((file) => readWhole(join(directory, file))),
  );
  if (!identity?.trim() || !hosts?.trim()) {
    const missing = identity?.trim() ? "known_hosts" : "identity";
    throw new GitError(
      "Credentials",
      `Cannot use the credentials: an ssh remote needs the file "${missing}" in "${directory}"`,
    );
  }
  // The error message of ssh would be only "error in libcrypto".
  if (identity.startsWith("-----BEGIN OPENSSH ") && (identity.includes("\r") || !identity.endsWith("\n"))) {
    throw new GitError(
      "Credentials",
      `Cannot use the credentials: in "identity" in "${directory}" every line, the last one too, must have a Unix line ending`,
    );
  }
  return sshCredentials(directory);
}

/**
 * Credentials in a folder that has `identity` and `known_hosts`. @throws GitError `Credentials` for a folder name that
 * ssh cannot use.
 */
function sshCredentials(directory: string): GitCredentials {
  if (directory.includes('"'))
    throw new GitError("Credentials", `Cannot use the credentials: their folder's name has a quote`);
  // ssh expands % in both paths, and splits the second one at spaces. Therefore % is doubled, and the path has quotes
  // within the quotes of the shell.
  const folder = directory.replaceAll("%", "%%");
  const identity = quoteForShell(join(folder, "identity"));
  const hosts = quoteForShell(`UserKnownHostsFile="${join(folder, "known_hosts")}"`);
  // The known hosts of the machine are not used.
  const only = "-o GlobalKnownHostsFile=/dev/null -o IdentitiesOnly=yes";
  const sshCommand = `ssh ${strictSsh} -i ${identity} -o ${hosts} ${only}`;
  return { ...none, sshCommand };
}

async function readHttps(directory: string, url: string): Promise<GitCredentials> {
  const [username, password, token, ca] = await Promise.all(
    httpsKeys.map(async (file) => trimmed(await readWhole(join(directory, file)))),
  );
  const caFile = ca === undefined ? undefined : join(directory, "ca.crt");
  const credentials = httpsCredentials({ username, password, token, caFile }, url);
  if (credentials !== undefined) return credentials;
  throw new GitError(
    "Credentials",
    `Cannot use the credentials: an https remote needs the files "username" and "password", or "bearerToken", in "${directory}"`,
  );
}

interface HttpsCredentials {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly token: string | undefined;
  /** Path of additional trusted certificate authorities. */
  readonly caFile: string | undefined;
}

/** Undefined: there is neither a token nor a user name with a password. A token takes precedence. */
function httpsCredentials(
  { username, password, token, caFile }: HttpsCredentials,
  url: string,
): GitCredentials | undefined {
  const settings: [string, string][] = caFile === undefined ? [] : [["http.sslCAInfo", caFile]];
  // Only for this host: after a redirect to another host git must not send the header there.
  const header = `http.${new URL("/", url).href}.extraHeader`;
  if (token !== undefined) {
    settings.push([header, `Authorization: Bearer ${token}`]);
    return { settings, sshCommand: undefined, secrets: [token] };
  }
  if (username === undefined || password === undefined) return undefined;
  const basic = Buffer.from(`${username}:${password}`).toString("base64");
  settings.push([header, `Authorization: Basic ${basic}`]);
  return { settings, sshCommand: undefined, secrets: [password, basic, encodeURIComponent(password)] };
}

/**
 * Creates credentials from the data of a Secret, with the same keys. Only what git and ssh must read from files is
 * written to files: certificates, and the key and known hosts of ssh. Remove the folder after use.
 *
 * @param directory A folder that does not exist yet.
 * @throws GitError `Credentials` when an entry that the protocol needs is missing, naming it.
 */
export async function writeCredentials(
  secret: ReadonlyMap<string, string> | undefined,
  remote: RemoteUrl,
  directory: string,
): Promise<GitCredentials> {
  if (remote.protocol === "file") return none;
  if (secret === undefined) {
    // Without this key ssh would try the keys of the user that the operator runs as.
    if (remote.protocol === "ssh") {
      throw new GitError("Credentials", "Cannot use the source: an ssh repository needs secretRef");
    }
    return none;
  }
  return remote.protocol === "ssh"
    ? await writeSsh(secret, directory)
    : await writeHttps(secret, remote.url, directory);
}

async function writeSsh(secret: ReadonlyMap<string, string>, directory: string): Promise<GitCredentials> {
  const [identity, hosts] = [trimmed(secret.get("identity")), trimmed(secret.get("known_hosts"))];
  if (identity === undefined || hosts === undefined) {
    const missing = identity === undefined ? "identity" : "known_hosts";
    throw invalid(`an ssh repository needs the entry "${missing}"`);
  }
  // ssh rejects a key with carriage returns or without a final line feed.
  await writeSecretFile(directory, "identity", `${identity.replaceAll("\r", "")}\n`);
  await writeSecretFile(directory, "known_hosts", `${hosts}\n`);
  return sshCredentials(directory);
}

async function writeHttps(
  secret: ReadonlyMap<string, string>,
  url: string,
  directory: string,
): Promise<GitCredentials> {
  const [username, password, token, ca] = httpsKeys.map((key) => trimmed(secret.get(key)));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line break would start another header
  if (token !== undefined && /[\u0000-\u001f\u007f]/.test(token))
    throw invalid('"bearerToken" has a line break or another control character');
  const caFile = ca === undefined ? undefined : await writeSecretFile(directory, "ca.crt", `${ca}\n`);
  const credentials = httpsCredentials({ username, password, token, caFile }, url);
  if (credentials !== undefined) return credentials;
  // A certificate alone is enough for a public repository.
  if (caFile !== undefined && username === undefined && password === undefined) {
    return { ...none, settings: [["http.sslCAInfo", caFile]] };
  }
  throw invalid('an https repository needs the entries "username" and "password", or "bearerToken"');
}

async function writeSecretFile(directory: string, name: string, text: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, name);
  await writeFile(path, text, { mode: 0o600, flag: "wx" });
  return path;
}

/** Error for an unusable Secret of a source. */
function invalid(why: string): GitError {
  return new GitError("Credentials", `Cannot use the Secret of the source: ${why}`);
}

/** The text without the trailing line feed that editors add; undefined if it is empty. */
function trimmed(text: string | undefined): string | undefined {
  return text?.replace(/\r?\n$/, "") || undefined;
}

/** The unchanged text of a file; undefined if there is no such file. */
async function readWhole(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new GitError(
      "Credentials",
      `Cannot read the credentials: ${(error as NodeJS.ErrnoException).code ?? "unknown"}`,
    );
  }
}

/** Git passes this command to a shell. Within single quotes only the quote itself is special. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
