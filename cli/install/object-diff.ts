import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { KubernetesObject } from "../../crds/object.ts";
import { maskSecrets } from "../release/diff/mask-secrets.ts";
import { textOf, toComparable } from "../release/diff/object-text.ts";
import { titleOf } from "./installable-kinds.ts";

const contextLines = 3;
/** Maximum number of lines, because the algorithm takes time and memory quadratic in the difference. */
const mostEdits = 2_000;

/** Unified diff of an object's YAML, without fields that the server writes, and without values of a Secret. Pure. */
export function diffOf(before: KubernetesObject, after: KubernetesObject): string {
  const title = titleOf(after);
  const masked = maskSecrets({ before, after });
  const [left, right] = [masked.before, masked.after].map((object) => object && textOf(toComparable(object)));
  const options = { context: contextLines, headerOptions: FILE_HEADERS_ONLY, maxEditLength: mostEdits };
  const [from, to] = [`live/${title}`, `installed/${title}`];
  const patch = createTwoFilesPatch(from, to, left ?? "", right ?? "", undefined, undefined, options);
  return (patch ?? `--- ${from}\n+++ ${to}\nThey differ in more lines than can be compared\n`).trimEnd();
}
