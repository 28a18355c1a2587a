import { ConfigMap, Job } from "../../../crds/core-kinds.ts";
import { Pipeline } from "../../../crds/pipeline.ts";
import { Promotion } from "../../../crds/promotion.ts";
import { Release } from "../../../crds/release.ts";
import type { SeenResource } from "../../../test/cluster/harness.ts";
import type { SeenObject } from "../api.ts";
import { whyNotReady } from "../ready.ts";
import type { DeliveryFixture } from "./delivery-fixture.ts";
import { stageNames } from "./points.ts";
import { nameIn } from "./pushed-contents.ts";
import { isRequest, type SeenPipeline, type SeenPromotion } from "./seen.ts";

/** The differences from the final state of a run without a kill. Empty: there is none. */
export async function findUnfinished(fixture: DeliveryFixture): Promise<readonly string[]> {
  const { shared, namespace, git } = fixture;
  const [pipelines, promotions, head] = await Promise.all([
    shared.api.list(Pipeline, namespace) as Promise<readonly SeenPipeline[]>,
    shared.api.list(Promotion, namespace) as Promise<readonly SeenPromotion[]>,
    git.head(),
  ]);
  const [pipeline] = pipelines;
  if (pipeline === undefined) return ["the Pipeline is missing"];
  const found = [...findInPipeline(pipeline, head), ...promotions.flatMap(findInPromotion)];
  // Run the more expensive checks only if the others pass.
  if (found.length > 0) return found;
  return [...(await findInReleases(fixture)), ...(await findInJobs(fixture, promotions))];
}

function findInPipeline(pipeline: SeenPipeline, head: string | undefined): string[] {
  const { status } = pipeline;
  const reason = whyNotReady(pipeline);
  const found = reason === undefined ? [] : [`the Pipeline is not Ready: ${reason}`];
  if (status?.head?.revision !== head) found.push(`its head is ${status?.head?.revision}, not ${head}`);
  if (status?.planning?.revision !== head)
    found.push(`${status?.planning?.revision} is planned, not ${head}`);
  for (const name of stageNames) {
    const stage = status?.stages?.find((one) => one.name === name);
    const waiting = stage?.waiting?.map(({ gate, message }) => `${gate}: ${message}`).join("; ");
    const text = `stage ${name} is ${stage?.phase} (${stage?.promotion?.message ?? waiting ?? ""})`;
    if (stage?.phase !== "Passed" || waiting !== undefined || stage.running?.proven !== true)
      found.push(text);
  }
  return found;
}

function findInPromotion(promotion: SeenPromotion): string[] {
  const { metadata, status } = promotion;
  if (isRequest(promotion)) return [`request ${metadata.name} still exists`];
  const isOver = status?.phase === "Passed" || status?.phase === "Superseded";
  return isOver ? [] : [`Promotion ${metadata.name} is ${status?.phase}`];
}

async function findInReleases({ shared, namespace, pushed }: DeliveryFixture): Promise<string[]> {
  const found: string[] = [];
  const releases = (await shared.api.list(Release, namespace)) as readonly SeenResource[];
  const configMaps = await shared.api.list(ConfigMap, namespace);
  for (const name of stageNames) {
    const release = releases.find(({ metadata }) => metadata.name === name);
    const reason = whyNotReady(release);
    const deployed = release?.status?.["deployed"] as { readonly digest?: string } | undefined;
    if (reason !== undefined) found.push(`Release ${name} is not Ready: ${reason}`);
    if (release?.spec["revision"] === undefined || deployed?.digest !== release.spec["digest"])
      found.push(`Release ${name} does not run its pin`);
    found.push(...findInVersion(configMaps, name, pushed.now[name]));
  }
  return found;
}

function findInVersion(
  configMaps: readonly SeenObject[],
  stage: (typeof stageNames)[number],
  wanted: number,
): string[] {
  const configMap = configMaps.find(({ metadata }) => metadata.name === nameIn(stage));
  const { version } = (configMap?.["data"] ?? {}) as { readonly version?: string };
  return version === String(wanted) ? [] : [`stage ${stage} runs version ${version}, not ${wanted}`];
}

async function findInJobs(
  { shared, namespace }: DeliveryFixture,
  promotions: readonly SeenPromotion[],
): Promise<string[]> {
  const uids = new Set(promotions.map(({ metadata }) => metadata.uid));
  return (await shared.api.list(Job, namespace)).flatMap(({ metadata }) => {
    const { name, finalizers = [], ownerReferences = [] } = metadata;
    if (!ownerReferences.some(({ uid }) => uids.has(uid))) return [`Job ${name} is an orphan`];
    return finalizers.length > 0 ? [`Job ${name} still has finalizers: ${finalizers.join(", ")}`] : [];
  });
}

/** Objects that should have been deleted with a Pipeline, and objects that should not have been deleted. */
export async function findLeft({ shared, namespace, pushed }: DeliveryFixture): Promise<readonly string[]> {
  const found: string[] = [];
  for (const kind of [Pipeline, Promotion, Job])
    for (const { metadata } of await shared.api.list(kind, namespace))
      found.push(`${kind.kind} ${metadata.name} still exists`);
  const releases = (await shared.api.list(Release, namespace)) as readonly SeenResource[];
  for (const name of stageNames) {
    const release = releases.find(({ metadata }) => metadata.name === name);
    if (release === undefined) found.push(`Release ${name} is missing`);
    for (const field of ["revision", "digest", "next"])
      if (release?.spec[field] !== undefined) found.push(`Release ${name} still has spec.${field}`);
  }
  const configMaps = await shared.api.list(ConfigMap, namespace);
  for (const name of stageNames) found.push(...findInVersion(configMaps, name, pushed.now[name]));
  return found;
}
