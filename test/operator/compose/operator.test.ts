import { describe, expect, test } from "vitest";
import { ConfigMap } from "../../../crds/core-kinds.ts";
import { WatchError } from "../../../operator/errors.ts";
import type { Reconcile } from "../../../operator/ports.ts";
import { Gadget } from "../../fakes/gadget.ts";
import { anOperator } from "./an-operator.ts";

describe("an operator", () => {
  test("fills its stores on standby, and reads git only when it leads", async () => {
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
    const said = log.entries.find(({ message }) => message === "Cannot continue")?.fields as { error: Error };
    expect(said.error.message).toMatch(/"configmaps" was not received within 120 s: .*(no right|forbidden)/);
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

  test("no longer renews its lease, and leaves it to expire, when a reconcile does not end in 30 s", async () => {
    const never: Reconcile = () => new Promise(() => undefined);
    const { operator, run, did, clock, elected, controllers } = anOperator({ reconciles: [never] });
    elected.resolve();
    const running = run();
    await clock.settle();
    controllers[0]?.queue.add("shop/web");
    await clock.settle();
    did.splice(0);
    operator.stop();
    await clock.advance(29_999);
    expect(did).toEqual([]);
    await clock.advance(1);
    expect(await running).toBe(1);
    expect(did).toEqual(["lease is no longer renewed", "connections end"]);
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

  test("ends at once when it was stopped before the start", async () => {
    const { operator, run, did, clock } = anOperator({ leads: false });
    operator.stop();
    expect(await run()).toBe(0);
    expect(did.at(-1)).toBe("connections end");
    expect(clock.now()).toBe(0);
  });

  test("does not poll git with a lease that it acquires while it stops", async () => {
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

  test("waits for the others' running work when one controller fails, before it releases the lease", async () => {
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
});
