import { join } from "node:path";
import { Release } from "../../crds/release.ts";
import { stageDigestOf } from "../../crds/stage-digest.ts";
import { homeOf } from "../../operator/desire/release/comparable-fields.ts";
import { WeakSandboxError } from "../launcher/weak-sandbox.ts";
import { type DiffReleaseOptions, diffRelease } from "../release/diff/diff-release.ts";
import type { DiffReport } from "../release/diff/report.ts";
import type { ReleaseObject } from "../release/release-object.ts";
import { compareStage, type RenderedSet, type StageComparison } from "./compare-stages.ts";
import type { PipelineObject } from "./pipeline-object.ts";

/** The changes that a commit would make in a Release. */
export interface ReleasePlan {
  /** `namespace/name`. */
  readonly release: string;
  /** Undefined: it cannot be planned. */
  readonly report: DiffReport | undefined;
  /** Why it cannot be planned. */
  readonly error: string | undefined;
}

/** The changes that a commit would make in a stage. */
export interface StagePlan {
  readonly stage: string;
  /** Digest of the stage; undefined: one of its Releases cannot be planned. */
  readonly digest: string | undefined;
  readonly releases: readonly ReleasePlan[];
  /** Gates of the stage, for users. */
  readonly gates: readonly string[];
  /** The differences from earlier stages; absent: the stage is not compared with them. */
  readonly differences?: StageComparison;
}

export type PlanOptions = Pick<
  DiffReleaseOptions,
  "session" | "shapeOf" | "timeoutMs" | "weakSandbox" | "coming"
> & {
  /** Releases of a file, by `namespace/name`. They replace those in the cluster. */
  readonly releases?: ReadonlyMap<string, ReleaseObject>;
} & (
    | { readonly revision: string; readonly folder?: undefined }
    /** A checkout of the repository. */
    | { readonly folder: string; readonly revision?: undefined }
  );

/**
 * Plans a commit or a folder for every stage of a Pipeline. It uses the operator's code and the user's permissions.
 *
 * @throws WeakSandboxError if the source is not trusted enough for this kernel.
 */
export async function planStages(
  pipeline: PipelineObject,
  options: PlanOptions,
): Promise<readonly StagePlan[]> {
  const plans: StagePlan[] = [];
  const rendered = new Map<string, RenderedSet>();
  for (const { name: stage, releases } of pipeline.spec.stages) {
    const planned: ReleasePlan[] = [];
    for (const { name, namespace = pipeline.metadata.namespace } of releases)
      planned.push(await planRelease({ name, namespace }, options, rendered));
    plans.push({ stage, digest: digestOf(planned), releases: planned, gates: gatesOf(pipeline, stage) });
  }
  // The spec may list a stage before the stages that it follows.
  return plans.map((plan) => {
    const differences = compareStage(pipeline, plan.stage, rendered);
    return { ...plan, ...(differences && { differences }) };
  });
}

async function planRelease(
  place: { readonly name: string; readonly namespace: string },
  { session, folder, revision, releases, ...options }: PlanOptions,
  rendered: Map<string, RenderedSet>,
): Promise<ReleasePlan> {
  const release = `${place.namespace}/${place.name}`;
  try {
    const found =
      releases?.get(release) ?? ((await session.client.read(Release, place)) as ReleaseObject | undefined);
    if (found === undefined) return { release, report: undefined, error: "does not exist" };
    const inside = folder === undefined ? undefined : join(folder, found.spec.source.path);
    return {
      release,
      report: await diffRelease(found, {
        session,
        ...options,
        folder: inside,
        revision,
        onPrepared: (prepared) => void rendered.set(release, { prepared, home: homeOf(found) }),
      }),
      error: undefined,
    };
  } catch (error) {
    if (error instanceof WeakSandboxError) throw error;
    // If one stage cannot be planned, the others are still shown.
    return { release, report: undefined, error: error instanceof Error ? error.message : String(error) };
  }
}

function digestOf(plans: readonly ReleasePlan[]): string | undefined {
  const digests = plans.map(({ release, report }) => {
    const [namespace = "", name = ""] = release.split("/");
    return { namespace, name, digest: report?.digest ?? "" };
  });
  return digests.length === 0 || digests.some(({ digest }) => digest === "")
    ? undefined
    : stageDigestOf(digests);
}

/** Describes the gates of a stage for users, and those that are closed now. Pure. */
export function gatesOf({ spec, status }: PipelineObject, name: string): readonly string[] {
  const index = spec.stages.findIndex((stage) => stage.name === name);
  const { after, enter, differences } = spec.stages[index] ?? {};
  const before = after ?? spec.stages.slice(Math.max(0, index - 1), index).map((stage) => stage.name);
  const { count = 1, groups, notAuthor } = enter?.approvals ?? {};
  const who = [
    ...(groups === undefined ? [] : [` from ${groups.join(" or ")}`]),
    ...(notAuthor === true ? [" (not by the authors)"] : []),
  ].join("");
  const closed = (status?.stages?.find((stage) => stage.name === name)?.waiting ?? []).filter(({ gate }) =>
    lasting.has(gate),
  );
  return [
    ...(before.length === 0 ? [] : [`passed in ${before.join(" and ")}`]),
    ...(differences === undefined || before.length === 0
      ? []
      : [`only declared differences from ${before.join(" and ")}`]),
    ...(enter?.approvals === undefined ? [] : [`${count} ${count === 1 ? "approval" : "approvals"}${who}`]),
    ...(enter?.windows === undefined ? [] : ["a window"]),
    ...closed.map(
      ({ gate, message, until }) => `${gate}: ${message}${until === undefined ? "" : ` (until ${until})`}`,
    ),
  ];
}

/** Gates that are closed for all candidates. */
const lasting: ReadonlySet<string> = new Set(["Freeze", "Windows", "Hold", "Suspended"]);
