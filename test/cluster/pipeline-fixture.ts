import { join } from "node:path";
import { onTestFinished } from "vitest";
import { deliveryKinds } from "../../charts/bindings-delivery.ts";
import { Approval } from "../../crds/approval.ts";
import { apiVersionOf, type ObjectKind } from "../../crds/object.ts";
import { Pipeline } from "../../crds/pipeline.ts";
import type { StageStatus } from "../../crds/pipeline-status.ts";
import { Promotion } from "../../crds/promotion.ts";
import { FakeGitRemote } from "../fakes/git-remote.ts";
import { fence } from "./fenced.ts";
import { kubectl, testCluster } from "./fixture.ts";
import { applyResource } from "./harness.ts";
import { install } from "./install.ts";
import type { RunningOperator } from "./operator.ts";
import { aPipelineHarness } from "./pipeline-harness.ts";
import { aConfigMapFile } from "./release-harness.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";

const program = join(import.meta.dirname, "pipeline-program.ts");

/** An operator with all fences, the Releases `dev` and `prod` of the Pipeline `shop`, and a repository to which it publishes. */
export interface PipelineFixture {
  readonly namespace: string;
  readonly rendered: FakeGitRemote;
  /** Starts or restarts the operator, with additional arguments. */
  start(args?: readonly string[]): Promise<RunningOperator>;
  /** Applies the Pipeline with the stages `dev`, with these additional fields, and `prod`, which needs an approval. */
  follow(dev?: object): Promise<void>;
  /** Changes the files of both Releases. Returns the commit. */
  commit(version: string): string;
  /** Waits until the status of a stage has these fields, and returns it. */
  untilStage(name: string, wanted: object): Promise<StageStatus>;
  /** Approves the next target of prod, as a user. */
  approve(user: string): Promise<void>;
  /** Creates a Promotion, as a user. */
  promote(user: string, spec: object): Promise<void>;
}

/** Creates the fixture. The operator does not run yet. */
export async function aPipelineFixture(): Promise<PipelineFixture> {
  const kinds = [stampIn(sharedGroup), ...deliveryKinds];
  const releases = { enabled: true, requireServiceAccount: false };
  await install(testCluster(), {
    kinds,
    name: "pipelines",
    values: { releases: { ...releases, watchAll: true, kinds: [{ resource: "configmaps" }] } },
  });
  const { namespace, source, ...harness } = await aPipelineHarness();
  const rendered = new FakeGitRemote();
  onTestFinished(() => rendered[Symbol.dispose]());
  const fenced = await fence(namespace, {
    kinds,
    rights: "pipelines",
    policies: { ownership: true, leadership: true, releaseStatus: true, stages: true },
    releases,
    watchedNamespaces: [namespace],
  });
  const url = `file://${source.path}`;
  let pods = 0;
  const createAs = async (user: string, kind: ObjectKind, spec: object): Promise<void> => {
    const metadata = { generateName: `${user.replaceAll(/\W/g, "-")}-`, namespace };
    const input = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec: { ...spec, by: user } };
    await kubectl(["create", "-f", "-", `--as=${user}`, "--as-group=system:masters"], { input });
  };
  const untilStage: PipelineFixture["untilStage"] = (name, wanted) =>
    harness.untilStage("shop", name, wanted);
  return {
    namespace,
    rendered,
    untilStage,
    start: async (args = []) => {
      pods += 1;
      const pod = await fenced.aPod(`operator-${pods}`);
      const repository = [
        `--repository=${rendered.path}`,
        `--repository-cache=${rendered.folder}/cache-${pods}`,
      ];
      return await harness.start([...fenced.args, ...repository, ...args], { program, ...pod });
    },
    follow: async (dev = {}) => {
      for (const stage of ["dev", "prod"]) {
        const ref = { pipeline: "shop", stage };
        await harness.release(stage, { source: { url, path: `shop/${stage}`, ref } });
      }
      await applyResource(Pipeline, namespace, {
        name: "shop",
        source: { url, path: "shop" },
        interval: "1s",
        stages: [
          { name: "dev", releases: [{ name: "dev" }], ...dev },
          { name: "prod", releases: [{ name: "prod" }], enter: { approvals: { count: 1 } } },
        ],
      });
    },
    commit: (version) =>
      harness.commit({
        "shop/dev/web.json": aConfigMapFile("web-dev", { version }),
        "shop/prod/web.json": aConfigMapFile("web-prod", { version }),
      }),
    approve: async (user) => {
      const { next } = await untilStage("prod", { waiting: [{ gate: "Approvals" }] });
      const { revision = "", digest = "" } = next ?? {};
      await createAs(user, Approval, { pipeline: "shop", stage: "prod", revision, digest });
    },
    promote: (user, spec) => createAs(user, Promotion, { pipeline: "shop", ...spec }),
  };
}
