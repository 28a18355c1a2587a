import type { OptionTexts } from "../../../index.ts";

/** Parses `--flag=value` and `--flag` as options of the operator. The names of options are the flags in camel case. Pure. */
export function readArguments(words: readonly string[]): OptionTexts {
  return Object.fromEntries(
    words.map((word) => {
      const [, flag = "", value = "true"] = /^--([a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
      if (flag === "") throw new Error(`Cannot read the argument "${word}": expected --flag or --flag=value`);
      return [flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()), value];
    }),
  );
}
