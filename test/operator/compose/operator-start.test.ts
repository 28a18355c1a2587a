import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { ListenError } from "../../../operator/runtime/http-server.ts";
import { Gadget } from "../../fakes/gadget.ts";
import { anOperator } from "./an-operator.ts";

describe("an operator that starts", () => {
  test("starts nothing before its preparation has finished, and answers probes meanwhile", async () => {
    const prepared = Promise.withResolvers<void>();
    const endpoints = [{ serves: "probes", address: "127.0.0.1:0", route: () => undefined }];
    const { operator, run, did, clock, log, watched } = anOperator({
      endpoints,
      prepare: () => prepared.promise,
    });
    const running = run();
    await expect.poll(() => log.messages("info")).toContain("Listening");
    await clock.advance(60_000);
    expect(did).toEqual([]);
    expect(watched.source("resource", Gadget).calls).toEqual([]);
    prepared.resolve();
    await clock.settle();
    expect(did).toEqual(["election starts"]);
    operator.stop();
    await running;
  });

  test("ends in order when it is stopped during its preparation", async () => {
    const { operator, run, did, clock } = anOperator({
      leads: false,
      prepare: (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
    });
    const running = run();
    await clock.settle();
    operator.stop();
    expect(await running).toBe(0);
    expect(did).toEqual(["git ends within 0", "events end", "lease is released", "connections end"]);
    expect(clock.now()).toBe(0);
  });

  test("leaves nothing open when its preparation fails", async () => {
    const endpoints = [{ serves: "probes", address: "127.0.0.1:0", route: () => undefined }];
    const prepare = (): Promise<void> => Promise.reject(new Error("no right"));
    const { run, did } = anOperator({ endpoints, prepare });
    await expect(run()).rejects.toThrow("no right");
    expect(did).toEqual(["connections end"]);
  });

  test("leaves nothing open when an address is in use", async () => {
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
