import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { aFolder } from "./operator.ts";

/** Secret values that must not appear, in all their encodings. */
export class SecretValues {
  readonly #forms = new Map<string, string>();

  /** Creates a unique value, and searches for it from now on. */
  create(what: string): string {
    return this.add(what, `secret-${what}-${crypto.randomUUID()}`);
  }

  /** Searches for an existing value. */
  add(what: string, value: string): string {
    const forms = [value, Buffer.from(value).toString("base64"), encodeURIComponent(value)];
    for (const form of forms) this.#forms.set(form.replace(/=+$/, ""), what);
    return value;
  }

  /** The names of the values that occur in a text, not the values themselves. */
  foundIn(text: string): string[] {
    return [...new Set([...this.#forms].filter(([form]) => text.includes(form)).map(([, what]) => what))];
  }
}

/** A `git` on the PATH that records its arguments and its environment, and then runs git. */
export interface InspectedGit {
  readonly path: string;
  /** One text per command: subcommand, arguments and environment. */
  commands(): { readonly name: string; readonly args: string; readonly environment: string }[];
}

export async function anInspectedGit(): Promise<InspectedGit> {
  const folder = await aFolder();
  const path = process.env["PATH"] ?? "";
  const script = `#!/bin/sh\nout='${folder}'/$$.command\nprintf '%s\\n' "$*" >"$out"\nenv >>"$out"\nPATH='${path}' exec git "$@"\n`;
  writeFileSync(join(folder, "git"), script);
  chmodSync(join(folder, "git"), 0o755);
  return {
    path: `${folder}:${path}`,
    commands: () =>
      readdirSync(folder)
        .filter((file) => file.endsWith(".command"))
        .map((file) => {
          const [args = "", ...environment] = readFileSync(join(folder, file), "utf8").split("\n");
          const name =
            args.split(" ").find((word) => /^[a-z-]{4,}$/.test(word) && !word.startsWith("-")) ?? "";
          return { name, args, environment: environment.join("\n") };
        }),
  };
}

/** Polls the command lines of all processes of the machine, and returns all that it has seen. */
export function watchProcessList(): { seen(): string } {
  const lines = new Set<string>();
  let isOver = false;
  onTestFinished(() => {
    isOver = true;
  });
  const look = async (): Promise<void> => {
    while (!isOver) {
      for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
        try {
          lines.add(readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "));
        } catch {
          // It has ended in the meantime.
        }
      }
      await sleep(25);
    }
  };
  void look();
  return { seen: () => [...lines].join("\n") };
}
