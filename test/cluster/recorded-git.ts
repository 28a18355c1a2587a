import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { aFolder } from "./operator.ts";

/** A `git` on the PATH that records its arguments, and then runs git. */
export interface RecordedGit {
  /** Environment for the operator. */
  readonly environment: { readonly PATH: string };
  /** Subcommands so far, in order: `ls-remote`, `push`. */
  commands(): string[];
}

export async function aRecordedGit(): Promise<RecordedGit> {
  const folder = await aFolder();
  const log = join(folder, "log");
  const path = process.env["PATH"] ?? "";
  // A line per command; its own PATH is the original one, so that git's programs are found.
  const script = `#!/bin/sh\nprintf '%s\\n' "$*" | tr '\\n' ' ' >>'${log}'\nprintf '\\n' >>'${log}'\nPATH='${path}' exec git "$@"\n`;
  writeFileSync(join(folder, "git"), script);
  chmodSync(join(folder, "git"), 0o755);
  return {
    environment: { PATH: `${folder}:${path}` },
    commands: () =>
      existsSync(log) ? readFileSync(log, "utf8").split("\n").filter(Boolean).map(subcommandOf) : [],
  };
}

/** The first word that is not an option. `-c` and `-C` have a value. */
function subcommandOf(line: string): string {
  const words = line.split(" ");
  let at = 0;
  while (words[at]?.startsWith("-")) at += words[at] === "-c" || words[at] === "-C" ? 2 : 1;
  return words[at] ?? "";
}
