const LONGEST = 200;
/** Characters that could change the appearance of a line: control, direction, invisible and invalid characters, and line ends. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu;

/** A name from a repository, for a message: one line of at most 200 printable characters. */
export function showText(text: string, { longest = LONGEST }: { readonly longest?: number } = {}): string {
  // Cut first, so that a long name takes no time.
  const cut = text.length <= longest ? text : `${text.slice(0, longest - 21)}…${text.slice(-20)}`;
  return cut.toWellFormed().replace(unsafe, toEscape);
}

function toEscape(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** `spec.ports[0].name`. Names that are not plain words are quoted. */
export function showPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    const isWord = /^[A-Za-z_][\w-]*$/.test(part);
    if (!isWord) return `${text}["${showText(part, { longest: 80 })}"]`;
    return text === "" ? part : `${text}.${part}`;
  }, "");
}

/** Formats a number of bytes for messages: `1.5 MiB`. Pure. */
export function showMebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
