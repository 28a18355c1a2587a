import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SourceError, type SourceFailure } from "../../errors.ts";
import type { GitProcesses, GitResult } from "../git-process.ts";
import type { SourceClone } from "./source-clone.ts";
import type { SecretData } from "./tenant.ts";
import { keepNewest } from "./tree-lookup.ts";

/** Maximum number of cached results. */
const REMEMBERED = 1_000;
/** Principal name for `ssh-keygen`: all keys are equivalent. */
const PRINCIPAL = "signer";

const sshKey =
  /^((?:ssh-(?:ed25519|rsa)|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com) [A-Za-z0-9+/]+={0,2})(?: .*)?$/;

/** Checks signatures of commits with keys of Secrets. Caches the result for each commit and set of keys. */
export class SignatureCheck {
  readonly #processes: GitProcesses;
  readonly #found = new Map<string, SourceFailure | undefined>();

  constructor(processes: GitProcesses) {
    this.#processes = processes;
  }

  /**
   * @param commit Full id, so that the checked object is the deployed one.
   * @param keys Entries that end in `.pub` are SSH public keys, in `.asc` OpenPGP public keys.
   * @returns Undefined: one of the keys signed it.
   */
  async check(clone: SourceClone, commit: string, keys: SecretData): Promise<SourceFailure | undefined> {
    const memo = `${commit} ${digestOf(keys)}`;
    if (this.#found.has(memo)) return this.#found.get(memo);
    const failure = await this.#verify(clone, commit, keys).catch((error: unknown) => {
      if (error instanceof SourceError) return error.failure;
      throw error;
    });
    this.#found.set(memo, failure);
    keepNewest(this.#found, REMEMBERED);
    return failure;
  }

  async #verify(clone: SourceClone, commit: string, keys: SecretData): Promise<SourceFailure | undefined> {
    const folder = await mkdtemp(join(clone.home, "verify-"));
    try {
      const signers = join(folder, "signers");
      await writeFile(signers, readSshKeys(keys), { mode: 0o600 });
      const settings = [["gpg.ssh.allowedSignersFile", signers]] as const;
      // Git writes the signed text to a temporary file.
      const environment = { ...clone.environmentWith(settings), GNUPGHOME: folder, TMPDIR: folder };
      await this.#importKeys(keys, folder, environment);
      const result = await this.#processes.run({
        arguments: ["verify-commit", "--raw", commit],
        directory: clone.directory,
        environment,
      });
      return result.exitCode === 0 ? undefined : notVerified(commit, result.stderr);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #importKeys(keys: SecretData, folder: string, environment: Record<string, string>): Promise<void> {
    const armored = [...keys].filter(([name]) => name.endsWith(".asc")).map(([, text]) => text);
    if (armored.length === 0) return;
    // No agent is started and no key server is used; a key in the Secret is trusted.
    await writeFile(join(folder, "gpg.conf"), "batch\nno-autostart\ndisable-dirmngr\ntrust-model always\n");
    const files = armored.map((_, index) => join(folder, `${index}.asc`));
    await Promise.all(files.map((file, index) => writeFile(file, armored[index] ?? "", { mode: 0o600 })));
    const run = {
      program: "gpg",
      arguments: ["--status-fd", "1", "--import", ...files],
      directory: folder,
      environment,
    } as const;
    const result = await this.#processes.run(run).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
      throw invalid("gpg is not installed on the operator's machine; use SSH keys");
    });
    if (!isImported(result)) throw invalid("an entry that ends in .asc has no OpenPGP public key");
  }
}

/**
 * Whether every file contained a key. The exit code is also 2 when gpg may not connect to its agent, which needs a Unix
 * socket that isolation denies. Pure.
 */
function isImported({ exitCode, stdout }: GitResult): boolean {
  const said = stdout.join("");
  const failed = /^\[GNUPG:\] (NODATA|IMPORT_PROBLEM|FAILURE|ERROR) /m.test(said);
  return exitCode === 0 || (!failed && /^\[GNUPG:\] IMPORT_OK /m.test(said));
}

/** Lines of an allowed signers file. Only type and key are copied: other text in the Secret grants nothing. */
function readSshKeys(keys: SecretData): string {
  let text = "";
  for (const [name, entry] of keys) {
    if (!name.endsWith(".pub")) continue;
    for (const line of entry.split(/\r?\n/).map((each) => each.trim())) {
      if (line === "" || line.startsWith("#")) continue;
      const [, key] = sshKey.exec(line) ?? [];
      if (key === undefined)
        throw invalid(`the entry "${name}" contains something other than SSH public keys`);
      text += `${PRINCIPAL} namespaces="git" ${key}\n`;
    }
  }
  if (text === "" && ![...keys.keys()].some((name) => name.endsWith(".asc")))
    throw invalid("it has no entry that ends in .pub or .asc");
  return text;
}

/** `stderr`: status lines of gpg, or output of ssh-keygen. */
function notVerified(commit: string, stderr: string): SourceFailure {
  const why = /BADSIG|incorrect signature|Could not verify signature/i.test(stderr)
    ? "its signature does not match"
    : /EXPKEYSIG|KEYEXPIRED|EXPSIG|REVKEYSIG/.test(stderr)
      ? "its signature or the key has expired or was revoked"
      : /NO_PUBKEY|ERRSIG|No principal matched|no signature found for/i.test(stderr)
        ? "none of the keys signed it"
        : stderr.trim() === ""
          ? "it is not signed"
          : "its signature cannot be checked";
  return { reason: "SourceNotVerified", message: `Cannot deploy commit ${commit}: ${why}` };
}

function invalid(why: string): SourceError {
  return new SourceError("SourceInvalid", `Cannot use the Secret of verify: ${why}`);
}

/** Digest of the keys: equal digests, equal keys. */
function digestOf(data: SecretData): string {
  return createHash("sha256")
    .update(JSON.stringify([...data].sort()))
    .digest("hex");
}
