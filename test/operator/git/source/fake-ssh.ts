import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A program `ssh` that runs its command on this machine, and records its arguments. */
export class FakeSsh {
  /** Variables for the environment. */
  readonly path: string;
  readonly #calls: string;

  /** @param command How to run `"$last"`, the command for the other side; for example with a truncated answer. */
  constructor(folder: string, command = 'exec sh -c "$last"') {
    const directory = join(folder, "bin");
    mkdirSync(directory);
    this.#calls = join(folder, "ssh-calls");
    const program = join(directory, "ssh");
    const lines = [
      "#!/bin/sh",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it belongs to the shell
      'while [ $# -gt 0 ]; do case "$1" in -i) identity=$2;; *UserKnownHostsFile=*) hosts=${1#*=};; esac; last=$1; shift; done',
      `printf '%s|' "$last" "$(stat -c %a "$identity")" "$(stat -c %a "$(dirname "$identity")")" >> '${this.#calls}'`,
      `printf '%s|%s\\n' "$(head -1 "$identity")" "$(head -1 "$(echo "$hosts" | tr -d '"')")" >> '${this.#calls}'`,
      command,
    ];
    writeFileSync(program, `${lines.join("\n")}\n`);
    chmodSync(program, 0o755);
    this.path = `${directory}:${process.env["PATH"]}`;
  }

  /** Per call: command, mode of the key's file and of its folder, first lines of key and known hosts. */
  get calls(): string[][] {
    if (!existsSync(this.#calls)) return [];
    const lines = readFileSync(this.#calls, "utf8").trim().split("\n");
    return lines.map((line) => line.split("|"));
  }
}
