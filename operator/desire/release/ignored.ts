import type { ReleaseResource } from "../../../crds/release.ts";
import { shortId } from "../../../crds/short-id.ts";
import { describeStage, stageOf } from "./pipeline-pin.ts";

type Spec = Partial<ReleaseResource["spec"]>;

/** The ignored part of a spec: the ref of a pinned Release, or `everything` if it is suspended. The spec may be invalid. Pure. */
export function describeIgnored({ spec }: { readonly spec: Spec }): string | undefined {
  if (spec.suspend === true) return "everything";
  const { revision, source } = spec;
  if (revision === undefined || revision === source?.ref?.commit) return undefined;
  // A Release of a stage has no ref that its pin could override.
  if (stageOf(spec) !== undefined) return undefined;
  return describeRef(spec);
}

/** A sentence about the pin, for the end of a message; undefined: there is none. Pure. */
export function describePin({ spec }: { readonly spec: Spec }): string | undefined {
  const { revision } = spec;
  const ignored = describeIgnored({ spec: { ...spec, suspend: false } });
  if (revision === undefined || ignored === undefined) return undefined;
  return `Pinned to ${shortId(revision)} by spec.revision: ${ignored} is ignored`;
}

/** Describes a Release's ref: `branch main`. Pure. */
export function describeRef({ source }: Spec): string {
  const stage = stageOf({ source });
  if (stage !== undefined) return describeStage(stage);
  const { branch = "main", tag, semver, commit } = source?.ref ?? {};
  if (commit !== undefined) return `commit ${shortId(commit)}`;
  if (semver !== undefined) return `tags in ${semver}`;
  return tag === undefined ? `branch ${branch}` : `tag ${tag}`;
}
