import { describe, expect, test } from "vitest";
import { stageCommandLine } from "../../../cli/pipeline/pipeline-command.ts";
import {
  chooseTarget,
  describeChange,
  describeTarget,
  readChanges,
} from "../../../cli/pipeline/stage-target.ts";
import { ApiClient } from "../../../cli/release/api-client.ts";
import type { ReleaseObject } from "../../../cli/release/release-object.ts";
import { FakeApi } from "../release/fake-api.ts";
import { aPipeline, newer, older, prodDigest } from "./a-pipeline.ts";

describe("chooseTarget()", () => {
  test("is the candidate that the stage starts next, with what it waits for", () => {
    const target = chooseTarget(aPipeline(), "prod");
    expect(target).toMatchObject({
      revision: newer,
      digest: prodDigest(newer),
      waits: ["Approvals: 0 of 2 approvals from sre"],
    });
    expect(describeTarget(target)).toBe("2222222222 (Change 2, Bob <bob@example.dev>)");
  });

  test("is the candidate with the digest, or a prefix of it, also if another one is next", () => {
    expect(chooseTarget(aPipeline(), "prod", prodDigest(older))).toMatchObject({
      revision: older,
      waits: [],
    });
    expect(chooseTarget(aPipeline(), "prod", prodDigest(newer).slice(0, 12))).toMatchObject({
      revision: newer,
      waits: ["Approvals: 0 of 2 approvals from sre"],
    });
  });

  test("says whether the stage runs the digest, and nothing waits for a decision about it", () => {
    const { status, ...plain } = aPipeline();
    const running = { digest: prodDigest(older), proven: true };
    const stages = status?.stages?.map((stage) => ({ ...stage, running }));
    const one = { ...plain, status: { ...status, stages } } as typeof plain;
    expect(chooseTarget(one, "prod", prodDigest(older)).isRunning).toBe(true);
    expect(chooseTarget(one, "prod").isRunning).toBe(false);
  });

  test("refuses a digest without a plan, and an ambiguous one", () => {
    expect(() => chooseTarget(aPipeline(), "prod", "0000")).toThrow(
      "No plan of stage prod of Pipeline shop/shop has the digest 0000",
    );
    expect(() => chooseTarget(aPipeline(), "prod", prodDigest(newer).slice(1))).toThrow(/No plan/);
    expect(() => chooseTarget(aPipeline(), "prod", "")).toThrow(/is not unique/);
  });

  test("refuses a beginning of a digest that a new commit could also have, such as an unset variable", () => {
    const { status, ...plain } = aPipeline();
    const one = { ...plain, status: { ...status, candidates: (status?.candidates ?? []).slice(1) } };
    for (const digest of ["", prodDigest(newer).slice(0, 7)])
      expect(() => chooseTarget(one as typeof plain, "prod", digest)).toThrow(
        `Cannot use the digest "${digest}": use at least 8 digits of it`,
      );
    expect(chooseTarget(one as typeof plain, "prod", prodDigest(newer).slice(0, 8)).revision).toBe(newer);
  });

  test("says what the gate of approvals says of the target without its commit and digest", () => {
    const { status, ...plain } = aPipeline();
    const message = `${newer.slice(0, 12)}, digest ${prodDigest(newer)}: 0 of 2 approvals`;
    const stages = status?.stages?.map((stage) => ({
      ...stage,
      ...(stage.waiting && { waiting: [{ gate: "Approvals" as const, message }] }),
    }));
    const pipeline = { ...plain, status: { ...status, stages } } as typeof plain;
    expect(chooseTarget(pipeline, "prod").waits).toEqual(["Approvals: 0 of 2 approvals"]);
  });

  test("refuses a stage without a candidate, and says what it waits for", () => {
    expect(() => chooseTarget(aPipeline({ isWaiting: false }), "prod")).toThrow(
      "There is no candidate for stage prod of Pipeline shop/shop: no commit waits for it. " +
        "To see all stages: npx fairlead pipeline shop/shop",
    );
    const { status, ...plain } = aPipeline({ isWaiting: false });
    const waiting = [{ gate: "Order" as const, message: '222222222222 has not passed stage "dev"' }];
    const stages = status?.stages?.map((stage) => ({ ...stage, waiting }));
    expect(() => chooseTarget({ ...plain, status: { ...status, stages } } as typeof plain, "prod")).toThrow(
      'There is no candidate for stage prod of Pipeline shop/shop yet: Order: 222222222222 has not passed stage "dev". ' +
        "To see all stages: npx fairlead pipeline shop/shop",
    );
  });

  test("refuses a stage that does not exist, and names the existing ones", () => {
    expect(() => chooseTarget(aPipeline(), "production")).toThrow(
      'Cannot find stage "production" of Pipeline shop/shop: there are dev, prod',
    );
  });
});

describe("describeChange()", () => {
  const release = (status: object | undefined) => ({ status }) as unknown as ReleaseObject;
  const plan = { revision: newer, digest: "b", create: 1, change: 2, delete: 3 };

  test.for([
    [undefined, "does not exist"],
    [release(undefined), "has no plan of it; it may not change this Release"],
    [release({ deployed: { revision: newer, digest: "b" } }), "runs it"],
    [release({ next: { ...plan, revision: older } }), "has no plan of it; it may not change this Release"],
    [release({ next: plan }), "1 to create, 2 to change, 3 to delete"],
    [
      release({ next: { ...plan, held: 3 } }),
      "1 to create, 2 to change, 3 to delete; 3 more to delete once the prune is approved",
    ],
    [
      release({ next: { ...plan, mutableImages: 2 } }),
      "1 to create, 2 to change, 3 to delete; 2 images without a digest",
    ],
    [release({ next: plan, deployed: { revision: older, digest: "b" } }), "no change"],
    [release({ next: { revision: newer, error: "no file\nat all" } }), "cannot be planned: no file at all"],
  ] as const)("%#: %s", ([found, text]) => {
    expect(describeChange(found, newer)).toBe(text);
  });
});

test("readChanges() shows the changes that the user may read, and says which it may not", async () => {
  const path = (namespace: string, name: string) =>
    `/apis/fairlead.dev/v1alpha1/namespaces/${namespace}/releases/${name}`;
  const next = { revision: newer, digest: "b", create: 1, change: 2, delete: 3 };
  const web = {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Release",
    metadata: { name: "web" },
    status: { next },
  };
  const api = new FakeApi({ [path("shop", "web")]: web }, { forbidden: [path("apis", "api")] });
  const wanted = { stage: "prod", revision: newer };
  expect(await readChanges(aPipeline(), wanted, new ApiClient(api))).toEqual([
    { release: "shop/web", text: "1 to create, 2 to change, 3 to delete" },
    { release: "apis/api", text: "you may not read it, so its changes are not shown" },
  ]);
});

test("stageCommandLine() contains the namespace, the digest and the cluster", () => {
  const line = stageCommandLine(
    "approve",
    { pipeline: aPipeline(), stage: "prod", digest: "0123456789abcdef" },
    { kubeconfig: "/my config", context: "c", env: { npm_command: "exec" } },
  );
  expect(line).toBe(
    "npx fairlead approve shop/shop prod --digest=0123456789ab '--kubeconfig=/my config' --context=c",
  );
});
