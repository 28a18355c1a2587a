import { SourceMap } from "node:module";
import type { Bundle } from "./bundle.ts";

/** A position in a program's sources, with lines and columns from 1. */
export interface SourcePosition {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** Parsing a larger map would block the event loop: then no positions are reported. */
const MAP_CHARACTERS = 2 * 2 ** 20;
const FRAMES = 50;

/** The positions of a stack trace in the program's own sources, innermost first. */
export function positionsOf(stack: string, { sourceMap }: Pick<Bundle, "sourceMap">): SourcePosition[] {
  const frames = [...stack.matchAll(/release-program\.js:(\d{1,7}):(\d{1,7})/g)].slice(0, FRAMES);
  if (frames.length === 0 || sourceMap === "" || sourceMap.length > MAP_CHARACTERS) return [];
  const map = new SourceMap(JSON.parse(sourceMap) as ConstructorParameters<typeof SourceMap>[0]);
  return frames.flatMap(([, line = "0", column = "0"]): SourcePosition[] => {
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
    if (!("originalSource" in entry) || entry.originalSource === undefined) return [];
    const { originalSource } = entry;
    if (originalSource.startsWith("library:")) return [];
    const path = originalSource.replace(/^release:/, "");
    return [{ path, line: entry.originalLine + 1, column: entry.originalColumn + 1 }];
  });
}
