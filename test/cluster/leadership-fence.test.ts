import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import type { KubernetesObject } from "../../crds/object.ts";
import { FaultyProxy } from "../fakes/faulty-proxy.ts";
import type { AuditEvent } from "./audit-log.ts";
import { type Fenced, type FencedPod, fence } from "./fenced.ts";
import { eventually, kubectl } from "./fixture.ts";
import type { RunningOperator } from "./operator.ts";
import { isWork, lineOf } from "./operator-user.ts";
import { sharedGroup, stampIn } from "./stamp-kind.ts";
import { aStampHarness, manyNames, type StampHarness, unfencedProgram } from "./stamps.ts";

interface Fixture {
  readonly harness: StampHarness;
  readonly fenced: Fenced;
  /** Starts an operator in a pod, and returns both. */
  start(pod: FencedPod, program?: string): Promise<RunningOperator>;
  /** The texts of all children, each once. */
  texts(): Promise<string[]>;
  /** Makes a pod that does not run the holder of the Lease, and waits until the API server enforces it. */
  depose(pod: FencedPod): Promise<void>;
}

const names = manyNames(5);
const short = ["--lease-duration=6s", "--renew-deadline=5s", "--retry-period=500ms"];

async function aFixture(): Promise<Fixture> {
  const harness = await aStampHarness();
  const { namespace } = harness;
  const kinds = [stampIn(sharedGroup)];
  const fenced = await fence(namespace, { kinds, rights: "stamps" });
  await harness.apply(names, { text: "one" });
  const start = (pod: FencedPod, program?: string): Promise<RunningOperator> =>
    harness.start([...fenced.args, ...short], { ...pod, ...(program !== undefined && { program }) });
  const texts = async (): Promise<string[]> => {
    const children = await harness.children();
    return [...new Set(children.map((child) => (child["data"] as { readonly text: string }).text))];
  };
  const depose = async ({ name }: FencedPod): Promise<void> => {
    const taken = '{"spec":{"holderIdentity":"elsewhere","leaseDurationSeconds":600}}';
    await kubectl(["patch", "lease", "operator", "-n", namespace, "--type=merge", "-p", taken]);
    const asPod = [`--as=${fenced.user}`, `--as-user-extra=authentication.kubernetes.io/pod-name=${name}`];
    const write = ["create", "configmap", "probe", "-n", namespace, "--dry-run=server", ...asPod];
    const refusal = () =>
      kubectl(write).then(
        () => false,
        (error: unknown) => /the lease is held by elsewhere/.test(String(error)),
      );
    await eventually(refusal, { what: "the API server has observed the new holder" });
  };
  return { harness, fenced, start, texts, depose };
}

/** The writes of a pod, except to the Lease and events. */
async function triesOf(pod: FencedPod, since: Date): Promise<AuditEvent[]> {
  return (await pod.requests(since)).filter(isWork);
}

function isDone({ responseStatus }: AuditEvent): boolean {
  return (responseStatus?.code ?? 500) < 300;
}

describe("the leadership fence", () => {
  test("stops a leader that was paused beyond its lease, also if nothing else does", async () => {
    // Given a leader that has no fence of its own, and ignores that it lost the lease
    const { harness, fenced, start, texts, depose } = await aFixture();
    const pod = await fenced.aPod("unfenced");
    const operator = await start(pod, unfencedProgram);
    await harness.untilSettled(names.length);
    const head = harness.repository.remote.head();

    // When it is paused, and resumed when another one has the lease, and there is work
    process.kill(operator.pid, "SIGSTOP");
    await depose(pod);
    await harness.apply(names, { text: "two" });
    const woken = new Date();
    process.kill(operator.pid, "SIGCONT");

    // Then it tries all of it, and nothing changes
    const tried = await eventually(
      async () => {
        const tries = await triesOf(pod, woken);
        return tries.length >= 3 * names.length && tries;
      },
      { what: "it tries to write" },
    );
    expect(tried.filter(isDone).map(lineOf)).toEqual([]);
    for (const { responseStatus } of tried) {
      expect(responseStatus).toMatchObject({
        code: 403,
        message: expect.stringMatching(/leadership' denied request: the lease is held by elsewhere/),
      });
    }
    expect(await texts()).toEqual(["one"]);
    expect(harness.repository.remote.head()).toBe(head);
    expect(await operator.stop()).toBe(0);
    expect((await triesOf(pod, woken)).filter(isDone).map(lineOf)).toEqual([]);
  });

  test("admits writes of the next leader, and rejects those of a disconnected or replaced one", async () => {
    // Given a leader whose commits wait, because the remote rejects them
    const { harness, fenced, start, texts, depose } = await aFixture();
    const { remote } = harness.repository;
    const [first, second] = [await fenced.aPod("first"), await fenced.aPod("second")];
    const proxy = await proxyFor(first);
    const leader = await start(first);
    await harness.untilSettled(names.length);
    const standby = await start(second);
    await standby.untilLogged("Writes are fenced by the API server");
    await standby.untilLogged("Another instance leads");
    const head = remote.head();
    remote.refusePushes("not now");
    await harness.apply(names, { text: "two" });
    await harness.until("the commits wait", (stamps) => stamps.every(isUnpublished));

    // When it is disconnected from the API server, and the remote is reachable
    proxy.isSilent = true;
    proxy.blackHole();
    const cut = new Date();
    expect(await leader.untilEnded()).toBe(1);
    remote.behave();

    // Then the other one does the pending work
    await standby.untilLogged("Became leader");
    await harness.apply(names, { text: "three" });
    await harness.untilSettled(names.length);
    expect((await triesOf(first, cut)).map(lineOf)).toEqual([]);
    const commits = harness.repository.log();
    const since = commits.slice(
      0,
      commits.findIndex(({ id }) => id === head),
    );
    expect(since.length).toBeGreaterThan(0);
    for (const { message } of since) expect(message).toMatch(/^Fairlead-Lease: \S+\/2$/m);

    // until another holder takes the lease: it writes nothing more, even before it notices.
    const last = remote.head();
    await depose(second);
    const deposed = new Date();
    await harness.apply(names, { text: "four" });
    expect(await standby.untilEnded()).toBe(1);
    expect((await triesOf(second, deposed)).filter(isDone).map(lineOf)).toEqual([]);
    expect(await texts()).toEqual(["three"]);
    expect(remote.head()).toBe(last);
  });
});

/** A proxy between a pod and the API server that can be disconnected. */
async function proxyFor({ kubeconfigPath }: FencedPod): Promise<FaultyProxy> {
  const config = parse(readFileSync(kubeconfigPath, "utf8"));
  const { cluster } = config.clusters[0];
  const proxy = await FaultyProxy.open(Number(new URL(cluster.server).port));
  onTestFinished(() => proxy.close());
  cluster.server = `https://127.0.0.1:${proxy.port}`;
  writeFileSync(kubeconfigPath, stringify(config), { mode: 0o600 });
  return proxy;
}

function isUnpublished({ status }: { readonly status?: KubernetesObject["status"] }): boolean {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly { type: string; status: string }[];
  };
  return conditions.some(({ type, status: is }) => type === "Published" && is === "False");
}
