import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Logger } from "../ports.ts";
import type { Hook, Hooks } from "./hook.ts";
import { repositoryKeyOf } from "./repository-key.ts";

const hookName = /^[A-Za-z0-9][\w-]{0,62}$/;
/** Maximum age of the contents: a changed folder is read again after this time. */
const freshMs = 2_000;
const mostFileBytes = 8 * 1024;
const mostFiles = 1_000;
/** A shorter secret may be guessed. It works, and a warning is logged. */
const shortSecret = 16;

/**
 * The hooks of a folder, such as a mounted Secret: the file `<name>` has the shared secret, or several, one a line;
 * `<name>.url` binds the hook to one repository. All are read together, so that an unknown name takes as long as a known
 * one.
 */
export function readHookFolder(
  directory: string,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Hooks {
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<ReadonlyMap<string, Hook>> = Promise.resolve(new Map());
  /** Each warning is logged once. */
  const warned = new Set<string>();
  const warn: Warn = (why, fields) => {
    const text = `${why} ${JSON.stringify(fields)}`;
    if (warned.size < mostFiles && !warned.has(text))
      log.warn("The hook folder is invalid", { ...fields, why });
    warned.add(text);
  };
  return {
    async find(name) {
      if (clock.now() - readAtMs >= freshMs) {
        readAtMs = clock.now();
        reading = readAll(directory, warn);
      }
      return (await reading).get(name);
    },
  };
}

type Warn = (why: string, fields: object) => void;

async function readAll(directory: string, warn: Warn): Promise<ReadonlyMap<string, Hook>> {
  const hooks = new Map<string, Hook>();
  const files = await readdir(directory).catch((error: Error): readonly string[] => {
    warn(`it cannot be read: ${error.message}`, { directory });
    return [];
  });
  // A mounted Secret contains links of its own (`..data`) beside the files.
  const names = files.filter((file) => !file.startsWith("..") && !file.endsWith(".url")).toSorted();
  for (const name of names.slice(0, mostFiles)) {
    const found = hookName.test(name)
      ? await readHook(join(directory, name), { name, isBound: files.includes(`${name}.url`) })
      : "its name is not that of a hook";
    if (typeof found === "string") warn(found, { file: name });
    else hooks.set(name, found);
    if (typeof found !== "string" && found.secrets.some(({ length }) => length < shortSecret))
      warn(`its secret has less than ${shortSecret} characters, and can be guessed`, { file: name });
  }
  return hooks;
}

/** A hook, or the reason why it is invalid. A file that cannot be read must never extend what the hook accepts. */
async function readHook(
  path: string,
  { name, isBound }: { readonly name: string; readonly isBound: boolean },
): Promise<Hook | string> {
  const text = await readShort(path);
  if (text === undefined) return "it is not a file, or cannot be read, or is too large";
  const secrets = text.split(/\r?\n/).filter((line) => line !== "");
  // Anyone can sign with an empty secret.
  if (secrets.length === 0) return "it is empty, so the hook is ignored";
  if (!isBound) return { name, secrets, url: undefined };
  const url = (await readShort(`${path}.url`))?.trim();
  if (url === undefined || repositoryKeyOf(url) === undefined)
    return "its .url file does not contain the URL of a repository, so the hook is ignored";
  return { name, secrets, url };
}

/** Undefined: not a file, not readable, or too large. */
async function readShort(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, "r");
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > mostFileBytes) return undefined;
    return await file.readFile("utf8");
  } catch {
    return undefined;
  }
}
