/** A command of kubectl: `delete job web -n shop --wait=false`. */
export interface KubectlCommand {
  readonly verb: string;
  /** The other words that are no options. */
  readonly words: readonly string[];
  /** The options by their long names; one without a value is `true`. */
  readonly options: ReadonlyMap<string, readonly string[]>;
}

const shortNames: Readonly<Record<string, string>> = {
  "-n": "namespace",
  "-o": "output",
  "-f": "filename",
  "-p": "patch",
  "-l": "selector",
  "-A": "all-namespaces",
};

/** Long options whose value is the next word, if they have no `=`. */
const spaced = ["namespace", "output", "filename", "patch", "selector"];

/** Parses it. Pure. */
export function parseKubectl([verb = "", ...rest]: readonly string[]): KubectlCommand {
  const words: string[] = [];
  const options = new Map<string, string[]>();
  const left = rest[Symbol.iterator]();
  for (const word of left) {
    if (!word.startsWith("-") || word === "-") {
      words.push(word);
      continue;
    }
    const [, long = "", value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [undefined, shortNames[word] ?? word];
    const next = value ?? (spaced.includes(long) ? left.next().value : "true");
    options.getOrInsertComputed(long, () => []).push(next ?? "");
  }
  return { verb, words, options };
}
