import { expect, onTestFinished, test } from "vitest";
import { WatchConnection } from "../../operator/cluster/watch-connection.ts";
import { KubeWatchSource } from "../../operator/cluster/watch-source.ts";
import { systemClock } from "../../operator/runtime/clock.ts";
import { FaultyProxy } from "../fakes/faulty-proxy.ts";
import { aNamespace } from "./fixture.ts";
import { kindNamed, kubeAdapter } from "./kube-adapter.ts";

const clock = systemClock();
const kind = kindNamed("configmaps/v1", "ConfigMap");
const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "late", labels: { app: "web" } } };

test("a watch whose connection becomes silent is closed, and an idle one is not", async () => {
  const namespace = await aNamespace();
  const { access, transport, cluster } = await kubeAdapter();
  const proxy = await FaultyProxy.open(Number(access.server.port));
  onTestFinished(() => proxy.close());
  const through = { ...access, server: new URL(`https://127.0.0.1:${proxy.port}`) };
  const options = { clock, userAgent: "fairlead/test", pingIntervalMs: 100, pingTimeoutMs: 1_000 };
  const connection = new WatchConnection(through, options);
  onTestFinished(() => connection.close());
  const source = new KubeWatchSource({ kind, namespace, transport, connection, clock });
  const { signal } = new AbortController();
  const start = { resourceVersion: "", sendInitialEvents: true, timeoutSeconds: 300, signal };
  const seen: string[] = [];
  const watching = (async () => {
    for await (const event of source.watch(start))
      seen.push("object" in event ? `${event.type} ${event.object.metadata.name}` : event.type);
  })();
  const ended = watching.catch((error: unknown) => error);
  // The server sends bookmarks at any time: the first one ends the list.
  await expect.poll(() => seen).toContain("BOOKMARK");
  // Ten PINGs, and nothing else: the watch continues.
  const { chunks } = proxy;
  await expect.poll(() => proxy.chunks).toBeGreaterThanOrEqual(chunks + 10);
  await cluster.apply(
    kind,
    { ...manifest, metadata: { ...manifest.metadata, namespace } },
    { mode: "create" },
  );
  await expect.poll(() => seen).toContain("ADDED late");
  proxy.blackHole();
  expect(await ended).toMatchObject({
    name: "WatchError",
    status: 0,
    message: expect.stringMatching(/silent/),
  });
  const { value } = await source.watch(start)[Symbol.asyncIterator]().next();
  expect(value).toMatchObject({ type: "ADDED" });
});
