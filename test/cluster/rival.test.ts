import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { isUsableGo, readGoVersion } from "../../cli/local-cluster/go.ts";
import { apiVersionOf, groupKindOf } from "../../crds/object.ts";
import { PodSet } from "../../crds/pod-set.ts";
import { provideProgram } from "../../rig/bench/cell/programs.ts";
import { eventually } from "./fixture.ts";
import type { SeenResource } from "./harness.ts";
import { TakeoverFixture, type Workload } from "./takeover-fixture.ts";

// Compiles a Go operator, for minutes: `node rig/bench/main.ts takeover` and CI run it, `npm test` does not.
let fixture: TakeoverFixture;
beforeAll(async () => {
  fixture = await TakeoverFixture.start("rival");
});
afterAll(() => fixture?.end());

const goVersion = await readGoVersion(process.env);
const noGo = goVersion === undefined || !isUsableGo(goVersion);

/**
 * Revision of the pod template: a rollout increments it. (The generation also counts changes of annotations, such as
 * ours.)
 */
const revision = "deployment.kubernetes.io/revision";

describe.skipIf(noGo)("the Go operator's PodSet (skipped where there is no Go 1.26 to build it)", () => {
  // Building takes minutes on a busy machine: not within the time of a test.
  beforeAll(() => provideGoOperator());

  test.for(["seed", "tuned"])(
    "is taken over, with --mode=%s: no pod restarts, and edits work",
    async (mode) => {
      // Given a PodSet that the Go operator reconciles, with a label that only it sets
      const namespace = await fixture.aNamespace(`go-${mode}`);
      const before = await startGoOperator(mode);
      const name = "web";
      const podSet = { apiVersion: apiVersionOf(PodSet), kind: PodSet.kind, metadata: { name, namespace } };
      await fixture.kubectl("apply -f -", { input: { ...podSet, spec: { size: 2 } } });
      await eventually(
        async () => {
          const { status } = await fixture.read<SeenResource>(groupKindOf(PodSet), name, namespace);
          const { status: live } = await fixture.read<Workload>("deployment", name, namespace);
          return ((status?.["nodes"] ?? []) as string[]).length === 2 && live.readyReplicas === 2;
        },
        { what: "the Go operator has created two pods" },
      );
      await end(before);
      const label = '{"metadata":{"labels":{"old":"yes"}}}';
      const [manager = ""] = await fixture.managersOf(name, namespace);
      await fixture.kubectl([
        "patch",
        "deployment",
        name,
        "-n",
        namespace,
        `--field-manager=${manager}`,
        "-p",
        label,
      ]);
      const deployment = await fixture.read<Workload>("deployment", name, namespace);
      const pods = await fixture.podsIn(namespace);
      expect(pods).toHaveLength(2);

      // When Fairlead starts instead
      await fixture.startFairlead(namespace);

      // Then it owns the same Deployment and pods, without manual steps
      await fixture.untilReady(PodSet, name, namespace);
      const taken = await fixture.read<Workload>("deployment", name, namespace);
      expect(taken.metadata).toMatchObject({
        uid: deployment.metadata.uid,
        annotations: { [revision]: deployment.metadata.annotations?.[revision] },
        labels: { "app.kubernetes.io/managed-by": "fairlead" },
      });
      expect(taken["spec"]).toEqual(deployment["spec"]);
      expect(await fixture.podsIn(namespace)).toEqual(pods);
      // fields that only the former operator had set are removed,
      expect(taken.metadata.labels).not.toHaveProperty("old");

      // and edits are applied.
      await fixture.kubectl("apply -f -", { input: { ...podSet, spec: { size: 3 } } });
      await eventually(async () => (await fixture.podsIn(namespace)).length === 3, { what: "three pods" });
      expect(await fixture.podsIn(namespace)).toEqual(expect.arrayContaining(pods));
      expect((await fixture.untilReady(PodSet, name, namespace)).status?.["nodes"]).toHaveLength(3);
    },
  );
});

function provideGoOperator(): Promise<string> {
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  return provideProgram("podset-go", { env: process.env, report });
}

async function startGoOperator(mode: string): Promise<ChildProcess> {
  const program = await provideGoOperator();
  const options = [
    `--mode=${mode}`,
    `--kubeconfig=${fixture.cluster.kubeconfigPath}`,
    `--lease-name=podset-${mode}`,
  ];
  const child = spawn(program, [...options, "--metrics-bind-address=0"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}
