import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { ConfigMap } from "../../crds/core-kinds.ts";
import { type KindController, toSource } from "../../operator/controllers.ts";
import { WatchError } from "../../operator/errors.ts";
import type { GitPublisher } from "../../operator/git/git-publisher.ts";
import { type Endpoint, Operator } from "../../operator/operator.ts";
import type { Reconcile } from "../../operator/ports.ts";
import { runController } from "../../operator/runtime/controller.ts";
import type { Election } from "../../operator/runtime/election.ts";
import { ListenError } from "../../operator/runtime/http-server.ts";
import { WorkQueue } from "../../operator/runtime/queue.ts";
import { aGadgetKind, Gadget } from "../fakes/gadget.ts";
import { WatchedKinds } from "../fakes/watched-kinds.ts";

interface Options {
  /** One controller for each. */
  readonly reconciles?: readonly Reconcile[];
  readonly endpoints?: readonly Endpoint[];
  readonly leads?: boolean;
}

/** An operator of which every part writes down what is asked of it. */
function anOperator({ reconciles = [async () => ({})], endpoints = [], leads = true }: Options = {}) {
  const watched = new WatchedKinds({ kinds: [aGadgetKind({ children: [ConfigMap] })] });
  const { clock, log, stores } = watched;
  const did: string[] = [];
  const note = (what: string) => async (): Promise<void> => void did.push(what);
  const elected = Promise.withResolvers<void>();
  const lost = Promise.withResolvers<void>();
  const election: Election = {
    fence: { check() {} },
    isLeading: leads,
    term: undefined,
    leader: leads ? "self" : undefined,
    tried: Promise.resolve(),
    elected: elected.promise,
    start: () => void did.push("election starts"),
    stop: note("lease is released"),
    checkRenewal() {},
  };
  const controllers = reconciles.map((reconcile, index): KindController => {
    const queue = new WorkQueue({ clock });
    const run: KindController["run"] = async ({ gate, signal }) => {
      const sources = stores.watched.map((one) => toSource(one, signal));
      await runController({ queue, workers: 1, reconcile, clock, log, gate, signal, sources });
      did.push(`workers ${index} end`);
    };
    return { name: `controller-${index}`, queue, run };
  });
  const publisher = {
    start: () => void did.push("git starts"),
    sweep: () => void did.push("git is swept"),
    close: async ({ flushMs }: { readonly flushMs: number }) => void did.push(`git ends within ${flushMs}`),
  } as unknown as GitPublisher;
  const operator = new Operator({
    stores,
    controllers,
    election,
    leaseLost: lost.promise,
    reportFences: async () => {},
    publisher,
    closeEvents: note("events end"),
    endpoints,
    close: note("connections end"),
    clock,
    log,
  });
  const code: { is?: number } = {};
  const run = () => {
    const running = operator.run();
    running.then(
      (is) => (code.is = is),
      () => undefined,
    );
    return running;
  };
  return { operator, run, code, did, clock, log, watched, elected, lost, controllers };
}

describe("an operator", () => {
  test("fills its stores while it stands by, and looks at git only when it leads", async () => {
    const { operator, run, did, clock, watched, elected } = anOperator();
    const running = run();
    await clock.settle();
    expect(did).toEqual(["election starts"]);
    expect(watched.stores.watched.every(({ store }) => store.hasSynced)).toBe(true);
    elected.resolve();
    await clock.settle();
    expect(did).toEqual(["election starts", "git starts", "git is swept"]);
    operator.stop();
    await running;
  });

  test("reconciles nothing before the last initial event was delivered (case 26)", async () => {
    const keys: string[] = [];
    const reconcile: Reconcile = async (key) => {
      keys.push(key);
      return {};
    };
    const { operator, run, clock, watched, elected, controllers } = anOperator({ reconciles: [reconcile] });
    const children = watched.source("child", ConfigMap);
    children.initialEvents = "ignored";
    children.intercept = ({ verb }) =>
      verb === "list" ? new WatchError("wait", { status: 500 }) : undefined;
    elected.resolve();
    controllers[0]?.queue.add("shop/web");
    const running = run();
    await clock.advance(30_000);
    expect(keys).toEqual([]);
    children.intercept = () => undefined;
    children.initialEvents = "rejected";
    await clock.advance(60_000);
    expect(keys).toEqual(["shop/web"]);
    operator.stop();
    await running;
  });

  test("ends with exit code 1, naming the kind, when it may not list one (case 27)", async () => {
    const { run, code, clock, watched, elected, log } = anOperator();
    const forbidden = new WatchError("no right", { status: 403, reason: "Forbidden" });
    watched.source("child", ConfigMap).intercept = () => forbidden;
    elected.resolve();
    void run();
    await clock.advance(119_000);
    expect(code.is).toBeUndefined();
    await clock.advance(2_000);
    expect(code.is).toBe(1);
    const said = log.entries.find(({ message }) => message === "Cannot go on")?.fields as { error: Error };
    expect(said.error.message).toMatch(/"configmaps" did not come within 120 s: .*(no right|forbidden)/);
  });

  test("ends in order: workers, events and git, lease, connections; exit code 0", async () => {
    const { operator, run, did, clock, elected, watched } = anOperator();
    elected.resolve();
    const running = run();
    await clock.settle();
    did.splice(0);
    operator.stop();
    expect(await running).toBe(0);
    expect(did).toEqual([
      "workers 0 end",
      "git ends within 10000",
      "events end",
      "lease is released",
      "connections end",
    ]);
    expect(watched.source("resource", Gadget).openWatches).toBe(0);
  });

  test("ends at once as a standby, and does not try to push", async () => {
    const { operator, run, did, clock } = anOperator({ leads: false });
    const running = run();
    await clock.settle();
    operator.stop();
    expect(await running).toBe(0);
    expect(did).toContain("git ends within 0");
    expect(did).not.toContain("git starts");
    expect(clock.now()).toBe(0);
  });

  test("ends at once when it was stopped before it ran", async () => {
    const { operator, run, did, clock } = anOperator({ leads: false });
    operator.stop();
    expect(await run()).toBe(0);
    expect(did.at(-1)).toBe("connections end");
    expect(clock.now()).toBe(0);
  });

  test("does not look at git with a lease that comes while it stops", async () => {
    const { operator, run, did, clock, elected } = anOperator();
    const running = run();
    await clock.settle();
    operator.stop();
    await running;
    elected.resolve();
    await clock.settle();
    expect(did).not.toContain("git starts");
  });

  test("ends with exit code 1 when it loses its lease, and releases nothing", async () => {
    const { run, did, clock, elected, lost } = anOperator();
    elected.resolve();
    const running = run();
    await clock.settle();
    lost.resolve();
    expect(await running).toBe(1);
    await clock.settle();
    expect(did).toContain("connections end");
    expect(did).not.toContain("lease is released");
  });

  test("waits for what still runs of the others when one controller fails, before it gives the lease away", async () => {
    const slow = Promise.withResolvers<void>();
    const working: Reconcile = async () => {
      await slow.promise;
      return {};
    };
    const { run, did, clock, elected, controllers, code } = anOperator({
      reconciles: [working, async () => ({})],
    });
    const broken = controllers[1];
    if (broken === undefined) throw new Error("there are two");
    const fails = Promise.withResolvers<never>();
    Object.assign(broken, { run: () => fails.promise });
    elected.resolve();
    controllers[0]?.queue.add("shop/web");
    void run();
    await clock.settle();
    fails.reject(new Error("broken"));
    await clock.advance(5_000);
    expect(did).not.toContain("lease is released");
    slow.resolve();
    await clock.settle();
    expect(did.indexOf("workers 0 end")).toBeLessThan(did.indexOf("lease is released"));
    expect(did).toContain("lease is released");
    expect(code.is).toBe(1);
  });

  test("leaves nothing open when an address is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const route = () => undefined;
    const endpoints = [
      { serves: "one", address: "127.0.0.1:0", route },
      { serves: "another", address: `127.0.0.1:${port}`, route },
    ];
    const { run, did, watched } = anOperator({ endpoints });
    await expect(run()).rejects.toThrow(ListenError);
    expect(did).toEqual(["connections end"]);
    expect(watched.source("resource", Gadget).calls).toEqual([]);
  });
});
