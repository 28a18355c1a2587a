import type { CommitTrailer } from "../../crds/commit-trailer.ts";
import { quoteText } from "./origin-text.ts";

/** Longest value of a trailer, in UTF-16 units. */
const LONGEST_VALUE = 200;
/** Maximum number of trailers of a resource. */
const MOST_TRAILERS = 32;

const validKey = /^[A-Z][A-Za-z0-9]*(-[A-Za-z0-9]+)*$/;

/** Trailers that only the operator may write, because other programs trust them. */
const reserved: ReadonlySet<string> = new Set(
  ["Resource", "Resources", "Version", "Lease", "Source", "Program", "Inputs"].map((name) =>
    `Fairlead-${name}`.toLowerCase(),
  ),
);

/**
 * `Key: value` lines for the last paragraph of a commit message. A value is untrusted text: it is shortened to one line,
 * and texts that git hosts act on are disabled. Trailers without a value, and those with a key of the operator itself, are
 * left out. Pure.
 */
export function describeTrailers(trailers: readonly CommitTrailer[]): readonly string[] {
  return trailers
    .filter(({ key }) => validKey.test(key) && !reserved.has(key.toLowerCase()))
    .map(({ key, value }) => ({ key, text: quoteText(value, LONGEST_VALUE) }))
    .filter(({ text }) => text !== "")
    .slice(0, MOST_TRAILERS)
    .map(({ key, text }) => `${key}: ${text}`);
}
