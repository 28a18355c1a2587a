import { beforeAll, describe, expect, test } from "vitest";
import { aStageRightsFixture, type StageRightsFixture, users } from "./stage-rights-fixture.ts";

let fixture: StageRightsFixture;
beforeAll(async () => {
  fixture = await aStageRightsFixture();
});

type Stage = Readonly<Record<string, unknown>> & { readonly name: string };

const night = { cron: "0 22 * * *", duration: "8h", timeZone: "Europe/Berlin" };
const sale = { cron: "0 0 27 11 *", duration: "48h" };
const job = { spec: { template: { spec: { containers: [{ name: "test", image: "test:1" }] } } } };

const dev: Stage = { name: "dev", releases: [{ name: "web-dev" }], batch: 2 };
const staging: Stage = {
  name: "staging",
  formerly: ["qa"],
  releases: [{ name: "web-staging" }, { name: "db-staging" }],
  pass: { soak: "10m", verify: [{ name: "smoke", template: job }] },
};
const prod: Stage = {
  name: "prod",
  releases: [{ name: "web" }],
  batch: "20%",
  enter: {
    approvals: { count: 2, groups: ["sre", "leads"], notAuthor: true },
    windows: [{ allow: night }, { deny: sale }],
  },
  onFailure: "RollBack",
  requireImageDigests: true,
  differences: [{ kind: "Deployment", fields: ["spec.replicas"] }],
};
const all: readonly Stage[] = [dev, staging, prod];
const source = { url: "https://git.test/shop.git", verify: { secretRef: { name: "signers" } } };

const aPipeline = (stages: readonly Stage[] = all, more: object = {}) => ({
  apiVersion: "fairlead.dev/v1alpha1",
  kind: "Pipeline",
  metadata: { name: "shop", namespace: fixture.namespace, ...more },
  spec: { source, stages },
});
const approvals = { count: 2, groups: ["sre", "leads"], notAuthor: true };
const windows = [{ allow: night }, { deny: sale }];
const enter = (change: object) => ({ ...prod, enter: { approvals, windows, ...change } });
const pass = (change: object) => ({ ...staging, pass: { ...(staging["pass"] as object), ...change } });

/** The result for a user who replaces the Pipeline; nothing is changed. */
const replace = (input: object, user = "nora") =>
  fixture
    .as(user)("replace --dry-run=server -f -", { input })
    .then(
      () => "allowed",
      (error: unknown) => String(error),
    );

const needs = (stage: string) =>
  `may not weaken or remove the rules of this stage: this needs the verb bypass on stages.fairlead.dev shop.${stage}`;

describe("rules of a Pipeline", () => {
  beforeAll(async () => {
    await fixture.kubectl("create -f -", { input: aPipeline() });
  });

  test.for<readonly [string, readonly Stage[], string]>([
    ["fewer approvals", [dev, staging, enter({ approvals: { ...approvals, count: 1 } })], "prod"],
    ["no approvals", [dev, staging, enter({ approvals: undefined })], "prod"],
    ["another group", [dev, staging, enter({ approvals: { ...approvals, groups: ["sre", "all"] } })], "prod"],
    ["any group", [dev, staging, enter({ approvals: { count: 2, notAuthor: true } })], "prod"],
    ["authors", [dev, staging, enter({ approvals: { ...approvals, notAuthor: false } })], "prod"],
    ["no deny window", [dev, staging, enter({ windows: [{ allow: night }] })], "prod"],
    ["another deny window", [dev, staging, enter({ windows: [{ allow: night }, { deny: night }] })], "prod"],
    ["no allow window", [dev, staging, enter({ windows: [{ deny: sale }] })], "prod"],
    ["one more allow window", [dev, staging, enter({ windows: [...windows, { allow: sale }] })], "prod"],
    ["no gates", [dev, staging, { ...prod, enter: undefined }], "prod"],
    ["no rollback", [dev, staging, { ...prod, onFailure: "Hold" }], "prod"],
    ["what another stage has proven", [dev, staging, { ...prod, formerly: ["dev"] }], "prod"],
    ["no earlier name", [dev, { ...staging, formerly: [] }, prod], "staging"],
    ["larger batches", [{ ...dev, batch: 3 }, staging, prod], "dev"],
    ["larger batches in percent", [dev, staging, { ...prod, batch: "100%" }], "prod"],
    ["batches in percent", [{ ...dev, batch: "1%" }, staging, prod], "dev"],
    ["batches in numbers", [dev, staging, { ...prod, batch: 1 }], "prod"],
    ["no batches", [dev, staging, { ...prod, batch: undefined }], "prod"],
    ["mutable images", [dev, staging, { ...prod, requireImageDigests: false }], "prod"],
    ["any difference", [dev, staging, { ...prod, differences: undefined }], "prod"],
    [
      "one more difference",
      [dev, staging, { ...prod, differences: [...(prod["differences"] as object[]), { kind: "Ingress" }] }],
      "prod",
    ],
    [
      "another counterpart",
      [dev, staging, { ...prod, releases: [{ name: "web", counterpart: "x" }] }],
      "prod",
    ],
    ["a shorter soak", [dev, pass({ soak: "9m59s" }), prod], "staging"],
    ["no soak", [dev, pass({ soak: undefined }), prod], "staging"],
    ["no verification", [dev, pass({ verify: [] }), prod], "staging"],
    [
      "another verification of the same name",
      [dev, pass({ verify: [{ name: "smoke", template: { spec: {} } }] }), prod],
      "staging",
    ],
    ["one Release less", [dev, { ...staging, releases: [{ name: "web-staging" }] }, prod], "staging"],
    ["one stage less", [dev, prod], "staging"],
    ["another name", [dev, { ...staging, name: "stage", formerly: ["staging"] }, prod], "staging"],
    ["no stage before", [dev, staging, { ...prod, after: [] }], "prod"],
    ["an earlier stage before", [dev, staging, { ...prod, after: ["dev"] }], "prod"],
    ["another order", [prod, dev, staging], "prod"],
  ])("weakened by %s need the verb bypass", async ([, stages, stage]) => {
    expect(await replace(aPipeline(stages))).toContain(needs(stage));
  });

  test.for<readonly [string, readonly Stage[]]>([
    ["nothing", [dev, staging, prod]],
    ["one more approval", [dev, staging, enter({ approvals: { ...approvals, count: 3 } })]],
    ["fewer groups", [dev, staging, enter({ approvals: { ...approvals, groups: ["sre"] } })]],
    ["one more deny window", [dev, staging, enter({ windows: [...windows, { deny: night }] })]],
    ["a longer soak", [dev, pass({ soak: "1h" }), prod]],
    ["fewer differences", [dev, staging, { ...prod, differences: [] }]],
    [
      "one more verification",
      [
        dev,
        pass({
          verify: [...(staging["pass"] as { verify: object[] }).verify, { name: "load", template: job }],
        }),
        prod,
      ],
    ],
    [
      "one more Release",
      [dev, { ...staging, releases: [...(staging["releases"] as object[]), { name: "new" }] }, prod],
    ],
    ["one more stage", [dev, staging, prod, { name: "last" }]],
    ["a stage between", [dev, staging, { name: "canary" }, prod]],
    ["a stage before all", [{ name: "lab" }, dev, staging, prod]],
    [
      "the same order in words",
      [dev, { ...staging, after: ["dev"] }, { ...prod, after: ["staging", "dev"] }],
    ],
    ["other batches", [dev, { ...staging, batch: 1 }, prod]],
    ["smaller batches", [{ ...dev, batch: 1 }, staging, { ...prod, batch: "5%" }]],
  ])("made stricter by %s do not", async ([, stages]) => {
    expect(await replace(aPipeline(stages))).toBe("allowed");
  });

  test("are weakened by another source of commits, on each stage", async () => {
    const from = (changed: object) => replace({ ...aPipeline(), spec: { source: changed, stages: all } });
    expect(await from({ ...source, url: "https://git.test/fork.git" })).toContain(needs("dev"));
    for (const ref of [{ branch: "next" }, { tag: "v1" }, { semver: ">=1.0.0" }])
      expect(await from({ ...source, ref })).toContain(needs("dev"));
    // The default.
    expect(await from({ ...source, ref: { branch: "main" } })).toBe("allowed");
    expect(await from({ ...source, path: "apps", secretRef: { name: "git" } })).toBe("allowed");
    await fixture.grant("rosa", "shop.*", "bypass");
    const other = { ...aPipeline(), spec: { source: { ...source, ref: { branch: "next" } }, stages: all } };
    expect(await replace(other, "rosa")).toBe("allowed");
  });

  test("are weakened by other signers, and by an owner reference through which the Pipeline can be deleted", async () => {
    const unsigned = { ...aPipeline(), spec: { source: { url: source.url }, stages: all } };
    expect(await replace(unsigned)).toContain(needs("dev"));
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "gone", uid: "1-2-3" };
    expect(await replace(aPipeline(undefined, { ownerReferences: [owner] }))).toContain(needs("dev"));
  });

  test("may be weakened with the verb on each stage, or on all at once, also from git", async () => {
    const weaker = aPipeline([dev, pass({ soak: "1m" }), enter({ windows: [] })]);
    await fixture.grant("olga", "shop.prod", "bypass");
    expect(await replace(weaker, "olga")).toContain(needs("staging"));
    await fixture.grant("olga", "shop.staging", "bypass");
    expect(await replace(weaker, "olga")).toBe("allowed");
    expect(await replace(weaker, users.deployer)).toContain(`${users.deployer} ${needs("staging")}`);
    await fixture.grant(users.deployer, "shop.*", "bypass");
    expect(await replace(weaker, users.deployer)).toBe("allowed");
    expect(await replace(weaker, users.operator)).toBe("allowed");
  });

  test("are removed with a Pipeline only with the verb, except by deletions of namespaces and owners", async () => {
    const remove = (user: string) =>
      fixture
        .as(user)(["delete", "pipeline", "shop", "--dry-run=server"])
        .then(
          () => "allowed",
          (error: unknown) => String(error),
        );
    expect(await remove("nora")).toContain(needs("dev"));
    await fixture.grant("pia", "shop.*", "bypass");
    expect(await remove("pia")).toBe("allowed");
    for (const controller of ["namespace-controller", "generic-garbage-collector"])
      expect(await remove(`system:serviceaccount:kube-system:${controller}`)).toBe("allowed");
  });

  test("of more stages than a policy can check one by one need the verb on all stages", async () => {
    const many = Array.from(
      { length: 12 },
      (_, index): Stage => ({ name: `s${index}`, releases: [{ name: "web" }] }),
    );
    const input = { ...aPipeline(many), metadata: { name: "many", namespace: fixture.namespace } };
    await fixture.kubectl("create -f -", { input });
    const without = many.map(({ name }) => ({ name }));
    const weaker = { ...input, spec: { source, stages: without } };
    for (const { name } of many) await fixture.grant("quin", `many.${name}`, "bypass");
    expect(await replace(weaker, "quin")).toContain(
      "may not weaken or remove the rules of so many stages: this needs the verb bypass on stages.fairlead.dev many.*",
    );
    await fixture.grant("quin", "many.*", "bypass");
    expect(await replace(weaker, "quin")).toBe("allowed");
  });

  test("are compared within the cost limit also in a Pipeline of 32 stages with all rules", async () => {
    const stages = Array.from(
      { length: 32 },
      (_, index): Stage => ({
        ...prod,
        name: `s${index}`,
        releases: Array.from({ length: 8 }, (__, release) => ({ name: `web-${index}-${release}` })),
        pass: staging["pass"],
      }),
    );
    const input = { ...aPipeline(stages), metadata: { name: "largest", namespace: fixture.namespace } };
    await fixture.kubectl("create -f -", { input });
    const change = (last: object) => ({
      ...input,
      spec: { source, stages: stages.with(31, { ...stages[31], ...last } as Stage) },
    });
    expect(await replace(change({ batch: "10%" }))).toBe("allowed");
    expect(await replace(change({ batch: "50%" }))).toContain("stages.fairlead.dev largest.s31");
  });
});
