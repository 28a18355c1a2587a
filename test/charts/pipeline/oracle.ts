import type { PromotionSpec } from "../../../crds/promotion.ts";
import { stageDigestOf } from "../../../crds/stage-digest.ts";
import type { DeliveryWorld } from "./delivery-world.ts";
import { renderOf } from "./release-operator.ts";

const soakMs = 10 * 60_000;

/** The actual results of a stage, computed from the work of Releases and Jobs and not from the Pipeline's status. */
export class Oracle {
  /** Violations of a rule, with their times. */
  readonly violations: string[] = [];
  readonly versions = new Set<string>(["1"]);
  /** Ages of commits in prod at their arrival. */
  readonly passed = new Set<string>();
  readonly #world: DeliveryWorld;
  /** `stage digest` that was healthy for long enough, verified, or failed. */
  readonly #healthy = new Set<string>();
  readonly #verified = new Set<string>();
  readonly #failed = new Set<string>();
  readonly #running = new Map<string, { readonly digest: string; readonly healthyMs: number }>();
  readonly #created: PromotionSpec[] = [];
  /** Since when a request in prod has another digest than its commit. */
  #outdatedMs: number | undefined;

  constructor(world: DeliveryWorld) {
    this.#world = world;
    world.onRelease = (name) => this.#noteRelease(name);
    world.onCreate = (spec) => this.#noteCreation(spec);
  }

  noteJob(spec: PromotionSpec, outcome: "Complete" | "Failed"): void {
    const last = this.#world.promotions(spec.stage).at(-1);
    if (
      last?.spec.number !== spec.number ||
      last?.status?.passedAt !== undefined ||
      last?.status?.failedAt !== undefined
    )
      return;
    const key = `${spec.stage} ${spec.digest}`;
    if (outcome === "Complete") {
      this.#verified.add(key);
      this.#failed.delete(key);
    } else this.#failed.add(key);
  }

  /** The newest request, if it skips the gates, is started again within minutes when its commit renders differently. */
  noteRequests(): void {
    const { nowMs, managers } = this.#world;
    const started = this.#world.promotions("prod").at(-1);
    const { request, bypass = [], revision = "", digest } = started?.spec ?? {};
    const isOver = started?.status?.passedAt !== undefined || started?.status?.failedAt !== undefined;
    const commit = this.#world.commits.find(({ id }) => id === revision);
    const rendered = renderOf(commit, "shop/prod", this.#world.versionFor("prod"));
    const isOutdated = "digest" in rendered && digestOfStage("prod", rendered.digest) !== digest;
    const newest = this.#world.objects
      .list("Promotion")
      .findLast(({ ours, spec }) => !ours && (spec as PromotionSpec).stage === "prod");
    const isWanted = request !== undefined && newest?.metadata.name === request.name;
    const isFree = bypass.includes("Freeze") && !managers.has("prod");
    if (isOver || !isOutdated || !isWanted || !isFree) this.#outdatedMs = undefined;
    else this.#outdatedMs ??= nowMs;
    if (this.#outdatedMs !== undefined && nowMs - this.#outdatedMs === 2 * 60_000)
      this.violations.push(`${started?.metadata.name} was not started again as it renders now`);
  }

  #noteRelease(name: string): void {
    const deployed = this.#world.release(name).status?.deployed;
    this.#noteHealth(name);
    if (deployed?.healthySince === undefined) this.#running.delete(name);
    else this.#running.set(name, { digest: deployed.digest, healthyMs: Date.parse(deployed.healthySince) });
  }

  #noteHealth(name: string): void {
    const running = this.#running.get(name);
    if (running !== undefined && this.#world.nowMs - running.healthyMs >= soakMs)
      this.#healthy.add(`${name} ${digestOfStage(name, running.digest)}`);
  }

  #noteCreation(spec: PromotionSpec): void {
    const { stage, digest, bypass = [], request, rollback, candidate = 0 } = spec;
    const report = (rule: string): void =>
      void this.violations.push(
        `${new Date(this.#world.nowMs).toISOString()} ${stage} ${spec.revision.slice(-4)} (${spec.number}): ${rule}`,
      );
    const earlier = this.#created.filter((one) => one.stage === stage);
    const hasRun = earlier.some((one) => one.digest === digest);
    if (
      stage === "prod" &&
      rollback !== true &&
      !bypass.includes("Order") &&
      !(request !== undefined && hasRun)
    ) {
      this.#noteHealth("staging");
      if (!this.#isProvenInStaging(spec.revision)) report("staging has not proven it");
    }
    if (this.#failed.has(`${stage} ${digest}`) && request === undefined && rollback !== true)
      report("its digest has failed here");
    if (this.#world.objects.list("Freeze").length > 0 && !bypass.includes("Freeze"))
      report("a freeze holds the stage");
    const last = earlier.at(-1);
    const isHeld =
      last?.hold === true && this.#world.objects.find("Promotion", last.request?.name ?? "") !== undefined;
    if (isHeld && request === undefined) report("the stage is held");
    const before = this.#world.promotions(stage).at(-2)?.status;
    const isOver = before === undefined || before.passedAt !== undefined || before.failedAt !== undefined;
    const { soak, verify } = this.#world.pipeline.spec.stages.find(({ name }) => name === stage)?.pass ?? {};
    const isProtected = soak !== undefined || verify !== undefined;
    if (isProtected && !isOver && request === undefined && this.versions.size === 1)
      report("the one before it is being proven");
    const approvals = this.#world.objects
      .list("Approval")
      .map(({ spec: one }) => (one as { readonly digest: string }).digest);
    const asks =
      this.#world.pipeline.spec.stages.find(({ name }) => name === stage)?.enter?.approvals !== undefined;
    if (asks && rollback !== true && !bypass.includes("Approvals") && !approvals.includes(digest ?? ""))
      report("nobody has approved it");
    const forward = earlier
      .slice(1 + earlier.findLastIndex(({ hold }) => hold === true))
      .filter((one) => one.rollback !== true);
    const reached = Math.max(0, ...forward.map((one) => one.candidate ?? 0));
    if (request === undefined && rollback !== true && this.versions.size === 1 && candidate <= reached)
      report(`candidate ${candidate} is older than ${reached}`);
    this.#created.push(spec);
  }

  /** Whether a digest of a commit is proven in staging, for any version of the operator so far. */
  #isProvenInStaging(revision: string): boolean {
    const commit = this.#world.commits.find(({ id }) => id === revision);
    return [...this.versions].some((version) => {
      const rendered = renderOf(commit, "shop/staging", version);
      if ("error" in rendered) return false;
      const key = `staging ${digestOfStage("staging", rendered.digest)}`;
      return this.#healthy.has(key) && this.#verified.has(key) && !this.#failed.has(key);
    });
  }
}

/** Each stage has one Release with its name. */
function digestOfStage(name: string, digest: string): string {
  return stageDigestOf([{ namespace: "shop", name, digest }]);
}
