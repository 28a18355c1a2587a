import type { PipelineRecord } from "../../crds/pipeline.ts";
import type { Candidate } from "../../crds/pipeline-status.ts";
import { shortId } from "../../crds/short-id.ts";
import { storedBytes } from "./stored-text.ts";
import type { PipelineWorld } from "./world.ts";

/** An API server refuses objects of more than 1.5 MiB, and a Pipeline has its spec and the status of its stages beside its record. */
export const mostRecordBytes = 768 * 1024;
/** The API server refuses a longer list. */
const mostCandidates = 512;
/** Releases of which a candidate has the texts: an error, or differences. */
const mostTexts = 8;
/** Bytes of the texts of one of these Releases. */
const textBytes = 1_500;
const otherError = "not planned: see status.next of the Release";

type World = Pick<PipelineWorld, "stages" | "pairs">;

/** A record whose candidates may be too large. */
interface Unlimited extends Omit<PipelineRecord, "candidates"> {
  readonly candidates: readonly Candidate[];
}

/**
 * A candidate with the texts of few Releases: the first errors and differences. Of other Releases it says only that they could not plan
 * the commit, in as many bytes as a digest, or that they differ. Pure and idempotent.
 */
export function shortenTexts(candidate: Candidate): Candidate {
  let count = 0;
  const releases = candidate.releases.map((planned) => {
    const { error, differences, ...rest } = planned;
    if (differences === undefined && (error === undefined || error === otherError)) return planned;
    count += 1;
    if (count > mostTexts) return { ...rest, ...(error !== undefined && { error: otherError }) };
    return differences === undefined ? planned : { ...planned, differences: firstTexts(differences) };
  });
  return { ...candidate, releases };
}

/** The texts that fit; `undeclaredIn` says of a pair without a text that it differs. */
function firstTexts(texts: readonly string[]): string[] {
  let bytes = 0;
  return texts.filter((text) => {
    bytes += storedBytes(text) + 1;
    return bytes <= textBytes;
  });
}

/** Whether a record takes more than the limit. Pure. */
export function isTooLarge({ candidates, ...commits }: Unlimited, world: World): boolean {
  const bytesOf = measure(world);
  const bytes = candidates.reduce((sum, candidate) => sum + bytesOf(candidate), storedBytes(commits));
  return bytes > mostRecordBytes || candidates.length > mostCandidates;
}

/**
 * The candidates of a record that fit into the status of a Pipeline. If they are too large, the plans of Releases that no stage has any
 * more are removed, and then the oldest candidates that are not needed. Pure.
 *
 * @returns `fits`: false if what is needed is too large alone.
 */
export function fitRecord(
  record: Unlimited,
  { needed, world }: { readonly needed: ReadonlySet<Candidate>; readonly world: World },
): { readonly candidates: readonly Candidate[]; readonly fits: boolean } {
  const { candidates, ...commits } = record;
  if (!isTooLarge(record, world)) return { candidates, fits: true };
  const bytesOf = measure(world);
  const keys = new Set(world.stages.flatMap((stage) => stage.keys));
  const all = candidates.map((candidate) => {
    const trimmed = withoutOthers(candidate, keys);
    return { candidate: trimmed, bytes: bytesOf(trimmed), isNeeded: needed.has(candidate) };
  });
  let left = all.reduce((rest, { bytes }) => rest - bytes, mostRecordBytes - storedBytes(commits));
  let surplus = candidates.length - mostCandidates;
  const kept = all.filter(({ bytes, isNeeded }) => {
    if (isNeeded || (left >= 0 && surplus <= 0)) return true;
    left += bytes;
    surplus -= 1;
    return false;
  });
  return { candidates: kept.map(({ candidate }) => candidate), fits: left >= 0 && surplus <= 0 };
}

/** Why a commit does not become a candidate. Pure. */
export function describeNoRoom(revision: string): string {
  return (
    `${shortId(revision)} does not become a candidate, because its plans do not fit into the status of the Pipeline beside those of the ` +
    "commits that stages run, prove or start next, or that are approved: promote one commit to several stages, or use several Pipelines " +
    "with fewer Releases"
  );
}

/**
 * Measures candidates as large as they may become while the stages stay the same: with the plan of each Release, although some
 * plan later, and with all texts. So what is accepted does not become too large.
 */
function measure({ stages, pairs }: World): (candidate: Candidate) => number {
  const reserved = new Map(
    stages.flatMap(({ keys }) => keys.map((key) => [key, bytesOfPlan(key, { pairs })] as const)),
  );
  const texts = mostTexts * textBytes;
  return (candidate) => {
    const { releases, ...commit } = candidate;
    const planned = new Map(releases.map((plan) => [plan.release, storedBytes(plan) + 1]));
    let bytes = storedBytes(commit) + texts;
    for (const [key, own] of reserved) bytes += Math.max(own, planned.get(key) ?? 0);
    for (const [key, own] of planned) if (!reserved.has(key)) bytes += own;
    return bytes;
  };
}

/** Bytes of the largest plan of a Release without texts, with a comma. */
function bytesOfPlan(release: string, { pairs }: Pick<World, "pairs">): number {
  const digest = "0".repeat(32);
  const rules = new Set(pairs.get(release)?.map((pair) => pair.rules));
  const compared = [...rules].map((own) => ({ rules: own, digest }));
  return storedBytes({ release, digest, mutableImages: 2 ** 31, compared }) + 1;
}

function withoutOthers(candidate: Candidate, keys: ReadonlySet<string>): Candidate {
  const releases = candidate.releases.filter(({ release }) => keys.has(release));
  return releases.length === candidate.releases.length ? candidate : { ...candidate, releases };
}
