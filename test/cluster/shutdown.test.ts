import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";
import { SlowProxy } from "../fakes/slow-proxy.ts";
import { eventually, readObject } from "./fixture.ts";
import { aFolder, type RunningOperator } from "./operator.ts";
import { isWrite, lineOf } from "./operator-user.ts";
import { aStampHarness, type StampHarness } from "./stamps.ts";

interface Fixture {
  readonly harness: StampHarness;
  readonly operator: RunningOperator;
  readonly proxy: SlowProxy;
}

/** So that no renewal of the Lease is mistaken for a reconcile. */
const seldom = ["--lease-duration=10m", "--renew-deadline=8m", "--retry-period=5m"];

/** A leader behind a proxy that can be slow, during a reconcile. */
async function inTheMiddle(delayMs: number): Promise<Fixture> {
  const harness = await aStampHarness();
  await harness.apply(["web"], { text: "one", copies: 1 });
  const config = parse(readFileSync(harness.user.kubeconfigPath, "utf8"));
  const { cluster } = config.clusters[0];
  const proxy = await SlowProxy.open(Number(new URL(cluster.server).port));
  onTestFinished(() => proxy.close());
  cluster.server = `https://127.0.0.1:${proxy.port}`;
  const kubeconfigPath = join(await aFolder(), "kubeconfig");
  writeFileSync(kubeconfigPath, stringify(config), { mode: 0o600 });
  const operator = await harness.start(["--leader-elect", ...seldom], { kubeconfigPath });
  await harness.untilSettled(1);
  proxy.delayMs = delayMs;
  await harness.apply(["web"], { text: "two", copies: 1 });
  // Pings of the watches are smaller.
  await eventually(() => proxy.bytesUnderWay > 200, { what: "the apply is under way", intervalMs: 5 });
  return { harness, operator, proxy };
}

describe("an operator that is stopped during a reconcile", () => {
  test("finishes it, publishes it, releases its Lease as the last step, and exits with 0 (case 32)", async () => {
    const { harness, operator, proxy } = await inTheMiddle(1_000);
    const asked = new Date();
    const ended = operator.stop("SIGTERM");
    // Fast again, otherwise releasing the Lease would be slow as well.
    await operator.untilLogged("Shutting down");
    await eventually(() => proxy.bytesUnderWay === 0, { what: "the apply arrives" });
    proxy.delayMs = 0;
    expect(await ended).toBe(0);

    // The reconcile has finished, and its objects are published. (Its status names the commit, so the next leading
    // instance writes it.)
    expect(await readObject("configmap", "web-0", harness.namespace)).toMatchObject({
      data: { text: "two" },
    });
    const file = `${harness.namespace}/stamps.tests.fairlead.dev/web/configmap-web-0.yaml`;
    expect(harness.repository.read(file)).toContain("text: two");

    // The Lease is released, and nothing was written after that.
    const lease = await readObject("lease", "fairlead", harness.namespace);
    expect(lease).toMatchObject({ spec: { holderIdentity: "" } });
    const writes = (await harness.user.requests(asked)).filter(isWrite).map(lineOf);
    expect(writes.at(-1)).toBe("update leases fairlead 200");
    expect(writes).toContain("patch configmaps web-0 200");
  });

  test("exits with 1 at once at the second signal, and writes nothing more (case 33)", async () => {
    const { harness, operator } = await inTheMiddle(30_000);
    process.kill(operator.pid, "SIGTERM");
    await operator.untilLogged("Shutting down");
    const asked = performance.now();
    process.kill(operator.pid, "SIGINT");
    expect(await operator.untilEnded()).toBe(1);
    // Its grace period would have been 30 s.
    expect(performance.now() - asked).toBeLessThan(10_000);
    expect(await readObject("configmap", "web-0", harness.namespace)).toMatchObject({
      data: { text: "one" },
    });
    const lease = await readObject<{ spec: { holderIdentity: string } }>(
      "lease",
      "fairlead",
      harness.namespace,
    );
    expect(lease?.spec.holderIdentity).not.toBe("");
  });
});
