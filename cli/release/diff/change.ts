import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { KubernetesObject } from "../../../crds/object.ts";
import { describeId } from "../../../operator/engine/object-text.ts";
import type { ObjectId } from "../../../synth/manifest.ts";
import { maskSecrets } from "./mask-secrets.ts";
import { textOf, toComparable } from "./object-text.ts";

export type ChangeAction =
  | "create"
  | "change"
  /** Deleted and recreated, because an immutable field changed. */
  | "replace"
  | "delete"
  | "unchanged"
  /** It would not be changed, or the API server would reject it. */
  | "refused";

/** Planned change of one object. */
export interface Change {
  readonly action: ChangeAction;
  readonly id: ObjectId;
  /** Unified diff of YAML; empty if nothing differs. Secret values are masked. */
  readonly diff: string;
  /** The reason, or what could not be checked. */
  readonly note: string | undefined;
}

export interface ChangeInput {
  readonly id: ObjectId;
  readonly action?: Exclude<ChangeAction, "unchanged">;
  readonly before: KubernetesObject | undefined;
  readonly after: KubernetesObject | undefined;
  readonly note?: string;
}

const contextLines = 3;
/** Maximum number of lines, because the algorithm takes time and memory quadratic in the difference. */
const mostEdits = 1_000;

/** Planned change of one object, from its current and its planned state. Pure. */
export function changeOf({ id, action, before, after, note }: ChangeInput): Change {
  const masked = maskSecrets({
    before: before && toComparable(before),
    after: after && toComparable(after),
  });
  const [left, right] = [textOf(masked.before), textOf(masked.after)];
  const isDifferent = left !== right;
  const usual = before === undefined ? "create" : after === undefined ? "delete" : "change";
  return {
    action: action ?? (isDifferent ? usual : "unchanged"),
    id,
    diff: isDifferent ? patchOf(id, left, right) : "",
    note,
  };
}

function patchOf(id: ObjectId, left: string, right: string): string {
  const title = describeId(id);
  const [from, to] = [
    left === "" ? "/dev/null" : `live/${title}`,
    right === "" ? "/dev/null" : `release/${title}`,
  ];
  const options = { context: contextLines, headerOptions: FILE_HEADERS_ONLY, maxEditLength: mostEdits };
  return (
    createTwoFilesPatch(from, to, left, right, undefined, undefined, options) ??
    `--- ${from}\n+++ ${to}\nThey differ in more lines than can be compared\n`
  );
}
