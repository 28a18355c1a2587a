import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock, Logger } from "../../ports.ts";
import type { Hook, Hooks } from "./hook.ts";
import { repositoryKeyOf } from "./repository-key.ts";

const hookName = /^[A-Za-z0-9][\w-]{0,62}$/;
/** A folder that changed is read again this much later at most. */
const freshMs = 2_000;
const mostFileBytes = 8 * 1024;
const mostFiles = 1_000;
/** What somebody may find by trying. It works, and the log says so. */
const shortSecret = 16;

/**
 * The hooks of a folder, such as a mounted Secret: the file `<name>` has the shared secret, or several, one a line;
 * `<name>.url` binds the hook to one repository. All are read together, so that a name that is not there takes as long.
 */
export function readHookFolder(
  directory: string,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Hooks {
  let readAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<ReadonlyMap<string, Hook>> = Promise.resolve(new Map());
  /** A warning is for the first time only. */
  const warned = new Set<string>();
  const warn = (message: string, fields: object): void => {
    const text = `${message} ${JSON.stringify(fields)}`;
    if (warned.size < mostFiles && !warned.has(text)) log.warn(message, fields);
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

type Warn = (message: string, fields: object) => void;

async function readAll(directory: string, warn: Warn): Promise<ReadonlyMap<string, Hook>> {
  const files = new Map<string, string>();
  try {
    for (const file of (await readdir(directory)).toSorted().slice(0, mostFiles)) {
      // A mounted Secret has its own links beside the files.
      if (file.startsWith("..")) continue;
      if (!hookName.test(file.replace(/\.url$/, ""))) {
        warn("Cannot use a file of the hook folder: its name is not that of a hook", { file });
        continue;
      }
      const text = await readShort(join(directory, file));
      if (text === undefined)
        warn("Cannot use a file of the hook folder: it is no short text file", { file });
      else files.set(file, text);
    }
  } catch (error) {
    warn("Cannot read the hook folder", { directory, error: error instanceof Error ? error.message : "" });
  }
  return new Map([...files].flatMap(([name, text]) => toHook(name, text, { files, warn })));
}

function toHook(
  name: string,
  text: string,
  { files, warn }: { readonly files: ReadonlyMap<string, string>; readonly warn: Warn },
): [] | [[string, Hook]] {
  if (name.endsWith(".url")) return [];
  const secrets = text.split(/\r?\n/).filter((line) => line !== "");
  const url = files.get(`${name}.url`)?.trim();
  // Signatures with an empty secret are anybody's.
  if (secrets.length === 0) {
    warn("Cannot use a hook: its file is empty", { hook: name });
    return [];
  }
  if (url !== undefined && repositoryKeyOf(url) === undefined) {
    warn("Cannot use a hook: what it is bound to is not the URL of a repository", { hook: name });
    return [];
  }
  if (secrets.some(({ length }) => length < shortSecret))
    warn(`A hook's secret has less than ${shortSecret} characters: it can be guessed`, { hook: name });
  return [[name, { name, secrets, url }]];
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
