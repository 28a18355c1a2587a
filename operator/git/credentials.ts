import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GitError } from "./git-errors.ts";
import type { RemoteUrl } from "./remote-url.ts";

/** What git needs to authenticate, once. Nothing of it ever becomes an argument or part of a URL. */
export interface GitCredentials {
  /** Settings for the environment (`GIT_CONFIG_KEY_n`, `GIT_CONFIG_VALUE_n`). */
  readonly settings: readonly (readonly [key: string, value: string])[];
  readonly sshCommand: string | undefined;
  /** What must not appear in any message. */
  readonly secrets: readonly string[];
}

/** Keys of credentials for https, in the order of {@link HttpsCredentials}. */
const httpsKeys = ["username", "password", "bearerToken", "ca.crt"];

const none: GitCredentials = { settings: [], sshCommand: undefined, secrets: [] };

/** Host keys are always checked, there are no prompts, and no configuration is read. */
const strictSsh = "-F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=yes -o ConnectTimeout=15";

/**
 * Reads a mounted Secret with the keys that Flux uses: `username` and `password`, or `bearerToken`, and `ca.crt` for
 * https; `identity` and `known_hosts` for ssh. Call it for every use, so that a rotated Secret counts at once.
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
  // All that ssh says is "error in libcrypto".
  if (identity.startsWith("-----BEGIN OPENSSH ") && (identity.includes("\r") || !identity.endsWith("\n"))) {
    throw new GitError(
      "Credentials",
      `Cannot use the credentials: in "identity" in "${directory}" every line, the last one too, must have a Unix line ending`,
    );
  }
  return sshCredentials(directory);
}

/** For a folder that has `identity` and `known_hosts`. @throws GitError `Credentials` for a name that ssh cannot take. */
function sshCredentials(directory: string): GitCredentials {
  if (directory.includes('"'))
    throw new GitError("Credentials", `Cannot use the credentials: their folder's name has a quote`);
  // ssh expands % in both, and splits the second at blanks: hence the doubling, and quotes inside the shell's own.
  const folder = directory.replaceAll("%", "%%");
  const identity = quoteForShell(join(folder, "identity"));
  const hosts = quoteForShell(`UserKnownHostsFile="${join(folder, "known_hosts")}"`);
  // Nor does it count which hosts the machine knows.
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
  /** Path of certificates of authorities that are trusted beside the system's. */
  readonly caFile: string | undefined;
}

/** Undefined: there is neither a token nor a user with a password. A token goes first. */
function httpsCredentials(
  { username, password, token, caFile }: HttpsCredentials,
  url: string,
): GitCredentials | undefined {
  const settings: [string, string][] = caFile === undefined ? [] : [["http.sslCAInfo", caFile]];
  // Only for this host: a redirect to another one must not carry the header along.
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
 * Makes credentials of the data of a Secret, with the same keys. Only what git and ssh cannot take otherwise is written to
 * files: certificates, and the key and known hosts of ssh. Remove the folder after use.
 *
 * @param directory A folder of ours that does not exist yet.
 * @throws GitError `Credentials` when an entry that the protocol needs is missing, naming it.
 */
export async function writeCredentials(
  secret: ReadonlyMap<string, string> | undefined,
  remote: RemoteUrl,
  directory: string,
): Promise<GitCredentials> {
  if (remote.protocol === "file") return none;
  if (secret === undefined) {
    // Without a key of its own ssh would try those of the user that the operator runs as.
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
  // ssh reads no key with carriage returns or without a line end.
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
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line break would begin another header
  if (token !== undefined && /[\u0000-\u001f\u007f]/.test(token))
    throw invalid('"bearerToken" has a line break or another control character');
  const caFile = ca === undefined ? undefined : await writeSecretFile(directory, "ca.crt", `${ca}\n`);
  const credentials = httpsCredentials({ username, password, token, caFile }, url);
  if (credentials !== undefined) return credentials;
  // A certificate alone is enough for a repository that everybody may read.
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

/** What is wrong with the Secret of a source. */
function invalid(why: string): GitError {
  return new GitError("Credentials", `Cannot use the Secret of the source: ${why}`);
}

/** Without the line end that editors add; undefined if there is nothing in it. */
function trimmed(text: string | undefined): string | undefined {
  return text?.replace(/\r?\n$/, "") || undefined;
}

/** A file's text as it is; undefined if there is no such file. */
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

/** Git gives this command to a shell: inside single quotes nothing has a meaning but the quote itself. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
