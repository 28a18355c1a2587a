import type { StageStatus } from "../../crds/pipeline-status.ts";
import { shortId } from "../../crds/short-id.ts";
import { canPlan, hasPlanned } from "./plan-candidates.ts";
import { agreedRelease, findProblem, whyStalled } from "./release-problems.ts";
import { later, latest } from "./release-state.ts";
import type { ReleaseView } from "./release-view.ts";
import type { Stage } from "./shape.ts";
import type { PipelineWorld } from "./world.ts";

/** Most plans are there long before, so that they cost no status. */
const patience = "30s";
/** Releases that a text names. */
const mostNamed = 5;

/**
 * The commits that Releases of a stage were asked to plan and have not planned, one text for each. The Pipeline plans no newer
 * commit before they have. Pure.
 *
 * @param before The previous status. Its text is repeated until all Releases that it names have answered, so that plans that are
 *   made one after another do not cost a status each.
 */
export function describeLatePlans(
  stage: Stage,
  world: PipelineWorld,
  before?: Pick<StageStatus, "problems"> | undefined,
): readonly string[] {
  const late = stage.keys.flatMap((key) => {
    const release = agreedRelease(key, { stage, world });
    return release !== undefined && isLate(release, world) ? [release] : [];
  });
  const texts = [...Map.groupBy(late, ({ asked = "" }) => asked)].map(([revision, releases]) => {
    const start = `${shortId(revision)} was not planned within `;
    const told = before?.problems?.find(
      (text) => text.startsWith(start) && releases.some(({ key }) => text.includes(nameOf(key))),
    );
    return told ?? `${start}${describe(releases, world)}`;
  });
  return [...texts, ...describeStalled(stage, world)];
}

function isLate(release: ReleaseView, { clock }: Pick<PipelineWorld, "clock">): boolean {
  const { asked, askedAt } = release;
  if (asked === undefined || askedAt === undefined) return false;
  if (hasPlanned(release, asked) || !canPlan(release, asked)) return false;
  return clock.reached(later(askedAt, patience));
}

/** The Releases that the Pipeline does not wait for, because they are stalled, unless they have another problem. */
function describeStalled(stage: Stage, world: PipelineWorld): readonly string[] {
  return stage.keys.flatMap((key) => {
    const { asked = "", askedAt } = agreedRelease(key, { stage, world }) ?? {};
    const why = whyStalled(key, asked, { stage, world });
    if (why === undefined || askedAt === undefined || findProblem(key, stage, world) !== undefined) return [];
    if (!world.clock.reached(later(askedAt, patience))) return [];
    return [`${nameOf(key)} is stalled and has not planned ${shortId(asked)}: ${why}`];
  });
}

function describe(releases: readonly ReleaseView[], { record }: Pick<PipelineWorld, "record">): string {
  const { planning } = record;
  const isAwaited = releases.some((one) => planning !== undefined && !hasPlanned(one, planning.revision));
  const askedAt = latest("1970-01-01T00:00:00Z", ...releases.flatMap((one) => one.askedAt ?? []));
  const more = releases.length - mostNamed;
  const names = releases.slice(0, mostNamed).map(({ key }) => nameOf(key));
  const listed = `${names.join(", ")}${more > 0 ? ` and ${more} more Releases` : ""}`;
  return `${patience} of ${askedAt} by ${listed}${isAwaited ? "; until it is, no newer commit is planned" : ""}: see the conditions of the Release, and whether an operator reconciles it; if it is suspended, the other Releases continue`;
}

function nameOf(key: string): string {
  return `Release "${key}"`;
}
