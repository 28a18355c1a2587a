import type { PromotionSpec } from "../../../crds/promotion.ts";
import { stageDigestOf } from "../../../crds/stage-digest.ts";
import { DeliveryWorld } from "./delivery-world.ts";
import { job } from "./stages.ts";

type StageKey = "dev" | "staging" | "prod";

export const stageKeys = ["dev", "staging", "prod"] as const;

/** The names of all Releases, including those without a stage. */
export const allReleases = ["dev", "s1", "s2", "p1", "p2", "p3", "x1", "x2"] as const;

export interface ReshapedOptions {
  readonly onFailure: "Hold" | "RollBack";
  readonly batch: number | undefined;
  readonly hasApprovals: boolean;
}

interface Shape {
  name: string;
  formerly: readonly string[];
  releases: readonly string[];
}

/** A Pipeline whose stages are renamed and whose Releases are added and removed. It records violations. */
export class ReshapedWorld {
  /** Promotions of commits that an earlier stage had not proven. */
  readonly violations: string[] = [];
  readonly world: DeliveryWorld;
  readonly #options: ReshapedOptions;
  readonly #shapes: Record<StageKey, Shape> = {
    dev: { name: "dev", formerly: [], releases: ["dev"] },
    staging: { name: "staging", formerly: [], releases: ["s1", "s2"] },
    prod: { name: "prod", formerly: [], releases: ["p1", "p2", "p3"] },
  };

  constructor(options: ReshapedOptions) {
    this.#options = options;
    this.world = new DeliveryWorld({ stages: this.#stages() });
    this.world.onCreate = (spec) => this.#noteCreation(spec);
  }

  nameOf(key: StageKey): string {
    return this.#shapes[key].name;
  }

  stage(key: StageKey) {
    return this.world.stage(this.nameOf(key));
  }

  /** Releases of all stages. */
  get releases(): readonly string[] {
    return stageKeys.flatMap((key) => this.#shapes[key].releases);
  }

  /** Renames a stage. Its Releases may still have the old name. */
  rename(
    key: StageKey,
    name: string,
    {
      isDeclared,
      areReleasesRenamed,
    }: { readonly isDeclared: boolean; readonly areReleasesRenamed: boolean },
  ): void {
    const shape = this.#shapes[key];
    shape.formerly = isDeclared ? [...shape.formerly, shape.name].slice(-8) : [];
    shape.name = name;
    if (areReleasesRenamed) this.agree(key);
    this.world.editStages(this.#stages());
  }

  /** Creates all Releases of a stage, and sets its name in them. */
  agree(key: StageKey): void {
    const { name, releases } = this.#shapes[key];
    for (const release of releases) {
      const exists = this.world.objects.find("Release", release) !== undefined;
      if (exists) this.world.editRelease(release, { source: { ref: { pipeline: "shop", stage: name } } });
      else this.world.addRelease(release, name);
    }
  }

  /** Adds a Release to a stage. The Release is in no other stage. */
  add(key: StageKey, release: string): void {
    if (this.releases.includes(release)) return;
    this.#shapes[key].releases = [...this.#shapes[key].releases, release];
    this.agree(key);
    this.world.editStages(this.#stages());
  }

  /** Removes the last Release of a stage, if it has another one. */
  removeLast(key: StageKey, { isDeleted }: { readonly isDeleted: boolean }): void {
    const { releases } = this.#shapes[key];
    const last = releases.at(-1);
    if (last === undefined || releases.length === 1) return;
    this.#shapes[key].releases = releases.slice(0, -1);
    if (isDeleted) this.world.remove("Release", last);
    this.world.editStages(this.#stages());
  }

  #stages(): readonly object[] {
    const { onFailure, batch, hasApprovals } = this.#options;
    const of = (key: StageKey) => {
      const { name, formerly, releases } = this.#shapes[key];
      return { name, formerly, onFailure, releases: releases.map((release) => ({ name: release })) };
    };
    return [
      of("dev"),
      { ...of("staging"), pass: { soak: "10m", verify: [job()] } },
      {
        ...of("prod"),
        ...(batch !== undefined && { batch }),
        pass: { soak: "1m" },
        ...(hasApprovals && { enter: { approvals: { count: 1 } } }),
      },
    ];
  }

  /** Verifies a new Promotion: all earlier stages must have proven its commit, back to a stage that ran the candidate itself. */
  #noteCreation({ stage, revision, request, rollback }: PromotionSpec): void {
    const at = stageKeys.findIndex((key) => this.nameOf(key) === stage);
    if (at < 1 || request !== undefined || rollback === true) return;
    const candidate = this.world.pipeline.status?.candidates?.findLast((one) => one.revision === revision);
    for (const key of stageKeys.slice(0, at).toReversed()) {
      const { name, formerly, releases } = this.#shapes[key];
      const digest = stageDigestOf(
        releases.map((release) => {
          const plan = candidate?.releases.find((one) => one.release === `shop/${release}`);
          return { namespace: "shop", name: release, digest: plan?.digest ?? "" };
        }),
      );
      const attempts = this.world
        .promotions()
        .filter(({ spec }) => [name, ...formerly].includes(spec.stage) && spec.digest === digest)
        .filter(({ status }) => status?.passedAt !== undefined || status?.failedAt !== undefined);
      if (attempts.at(-1)?.status?.passedAt === undefined) {
        this.violations.push(`${stage} starts ${revision.slice(-4)}, which ${name} has not proven`);
        return;
      }
      const isOwn = attempts.some(
        ({ spec, status }) => spec.candidate === candidate?.number && status?.passedAt !== undefined,
      );
      if (isOwn) return;
    }
  }
}
