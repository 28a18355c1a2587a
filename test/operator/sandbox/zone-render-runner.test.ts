import { describe, expect, test } from "vitest";
import { SourceError } from "../../../operator/errors.ts";
import { renderManifests } from "../../../operator/render/render-manifests.ts";
import { Turns } from "../../../operator/render/turns.ts";
import { systemClock } from "../../../operator/runtime/clock.ts";
import { socketOf } from "../../../operator/sandbox/worker-command.ts";
import { ZoneLostError } from "../../../operator/zones/errors.ts";
import type { IncomingRequest, Serve } from "../../../operator/zones/incoming-requests.ts";
import { serveZone } from "../../../operator/zones/zone-server.ts";
import { wideLimits } from "../../fakes/link-pair.ts";
import { MemoryFiles } from "../../fakes/memory-files.ts";
import { aFolder, program, request } from "../../fakes/renderer-bench.ts";
import {
  aFakeZone,
  anObject,
  aSocketFolder,
  aZoneRunner,
  configMap,
  patient,
  sends,
  theEnd,
} from "../../fakes/sandbox-zone.ts";

describe("ZoneRenderRunner", () => {
  test("returns the zone's objects, with a digest that it computes itself", async () => {
    const folder = aSocketFolder();
    await aFakeZone(folder, sends(anObject(configMap("a")), anObject(configMap("b"), "b.yaml:7")));
    const files = new MemoryFiles({
      "a.yaml": JSON.stringify(configMap("a")),
      "b.yaml": `\n\n\n\n\n\n${JSON.stringify(configMap("b"))}`,
    });
    const here = await renderManifests(files, new Turns(systemClock()).begin());
    const { runner } = aZoneRunner(folder);
    expect(await runner.run(request("a/b", files), patient)).toEqual(here);
  });

  test("fails only the render whose objects take too much memory in the operator", async () => {
    const folder = aSocketFolder();
    let answers = 0;
    await aFakeZone(folder, (incoming, back) => {
      const names = answers++ === 0 ? ["a", "b", "c"] : ["d"];
      return sends(...names.map((name) => anObject(configMap(name))))(incoming, back);
    });
    const { runner } = aZoneRunner(folder, [], 800);
    const files = new MemoryFiles({});
    await expect(runner.run(request("a/b", files), patient)).rejects.toThrow(
      /take more than .* MiB of the operator's memory/,
    );
    expect((await runner.run(request("a/b", files), patient)).manifests).toEqual([configMap("d")]);
  });

  test("sends the zone the files of the render, and nothing after its end", async () => {
    const folder = aSocketFolder();
    const options = { read: () => undefined, deadlineMs: 10_000 };
    const renders: IncomingRequest[] = [];
    const lists: unknown[] = [];
    await aFakeZone(folder, async (incoming, back) => {
      renders.push(incoming);
      for (const { id } of renders) {
        const onItem = ({ parts }: { readonly parts: readonly Buffer[] }) => lists.push(String(parts[0]));
        await back
          .request("list", { body: { render: id } }, { ...options, onItem })
          .catch(() => lists.push("refused"));
      }
      return theEnd();
    });
    const { runner } = aZoneRunner(folder);
    await runner.run(request("a/one", aFolder("one")), patient);
    await runner.run(request("a/two", new MemoryFiles({ "two.yaml": "" })), patient);
    expect(lists).toEqual([
      '{"files":[["a.yaml",53]],"refused":[]}',
      "refused",
      '{"files":[["two.yaml",0]],"refused":[]}',
    ]);
  });

  test.for([
    { what: "a missing file", body: { files: [7] } },
    { what: "no file", body: { files: [] } },
    { what: "too many files", body: { files: Array.from({ length: 251 }, () => 0) } },
    { what: "a file of another name", body: { files: ["a.yaml"] } },
  ])("refuses to read $what", async ({ body }) => {
    const folder = aSocketFolder();
    await aFakeZone(folder, async ({ id }, back) => {
      const options = { read: () => undefined, onItem: () => {}, deadlineMs: 10_000 };
      await back.request("read", { body: { ...body, render: id } }, options);
      return theEnd();
    });
    const { runner } = aZoneRunner(folder);
    const error = await runner.run(request("a/b", aFolder("b")), patient).catch((reason: unknown) => reason);
    expect(error).not.toBeInstanceOf(SourceError);
    expect(error).toBeInstanceOf(Error);
  });

  test("fails with the error of reading the files, not with the zone's message", async () => {
    const folder = aSocketFolder();
    await aFakeZone(folder, async ({ id }, back) => {
      await back.request("list", { body: { render: id } }, { read: () => undefined, deadlineMs: 10_000 });
      return theEnd();
    });
    const reason = new SourceError("SourceUnreachable", "the clone is fetched again");
    const files = Object.assign(aFolder("a"), { list: () => Promise.reject(reason) });
    await expect(aZoneRunner(folder).runner.run(request("a/b", files), patient)).rejects.toBe(reason);
  });

  test.for([
    { body: { reason: "RenderFailed", message: "a.yaml:3: is\nwrong" }, is: "a.yaml:3: is wrong" },
    { body: { reason: "SourceNotVerified", message: "not the zone's to say" }, is: undefined },
    { body: { message: "broken" }, is: undefined },
    { body: "nonsense", is: undefined },
  ])("accepts only reasons of a failed render in an error answer: $body", async ({ body, is }) => {
    const folder = aSocketFolder();
    const server = await serveZone({
      socket: socketOf(folder, "reader"),
      zone: "sandbox/reader",
      clock: systemClock(),
      limits: wideLimits,
      serve: () => Promise.reject(new Error()),
      describeError: () => body,
    });
    const error = await aZoneRunner(folder)
      .runner.run(request("a/b", aFolder("a")), patient)
      .catch((reason: unknown) => reason);
    server.close();
    if (is === undefined) expect(error).not.toBeInstanceOf(SourceError);
    else expect(error).toMatchObject({ reason: "RenderFailed", message: is });
  });

  test("renders of many Releases at once stay within the requests of a connection", async () => {
    const folder = aSocketFolder();
    await aFakeZone(folder, sends(anObject(configMap("a"))));
    const { runner, log } = aZoneRunner(folder);
    const keys = Array.from({ length: 1_000 }, (_, index) => `n${index % 50}/r${index}`);
    const renders = keys.map((key) => runner.run(request(key, aFolder("a")), patient));
    expect(await Promise.all(renders)).toHaveLength(1_000);
    expect(log.messages("warn")).toEqual([]);
  });

  test("a thousand warm-up requests are sent one at a time", async () => {
    const folder = aSocketFolder();
    const names: string[] = [];
    const serve: Serve = async ({ name }) => {
      names.push(name);
      return theEnd();
    };
    await aFakeZone(folder, serve, "programs");
    const { runner, log } = aZoneRunner(folder);
    for (let hint = 0; hint < 1_000; hint++) runner.warmUp();
    await runner.run(request("a/b", aFolder("a"), program()), patient);
    expect(names).toEqual(["warm-up", "render"]);
    expect(log.messages("warn")).toEqual([]);
  });

  test("a zone that crashes fails nothing: its renders are repeated", async () => {
    const folder = aSocketFolder();
    const begun: string[] = [];
    const firstTwo = Promise.withResolvers<void>();
    const zone = await aFakeZone(folder, async ({ body }) => {
      begun.push((body as { key: string }).key);
      if (begun.length === 2) firstTwo.resolve();
      if (begun.length <= 2) await new Promise(() => {});
      return theEnd();
    });
    const { runner } = aZoneRunner(folder);
    const renders = ["a/one", "b/two"].map((key) => runner.run(request(key, aFolder("x")), patient));
    await firstTwo.promise;
    await zone.die();
    await Promise.all(renders);
    expect(begun.toSorted()).toEqual(["a/one", "a/one", "b/two", "b/two"]);
  });

  test("only the render that crashes the zone each time fails; concurrent ones succeed", async () => {
    const folder = aSocketFolder();
    const runs: string[] = [];
    const together = Promise.withResolvers<void>();
    const zone = await aFakeZone(folder, async ({ body }) => {
      const { key } = body as { key: string };
      runs.push(key);
      if (runs.length === 3) together.resolve();
      await together.promise;
      if (key === "bad/bomb") await zone.die();
      return theEnd();
    });
    const { runner } = aZoneRunner(folder);
    const [bomb, ...others] = ["bad/bomb", "a/one", "b/two"].map((key) =>
      runner.run(request(key, aFolder("x")), patient),
    );
    await expect(bomb).rejects.toMatchObject({ reason: "RenderLimit" });
    expect(await Promise.all(others)).toHaveLength(2);
    expect(runs.filter((key) => key === "bad/bomb")).toHaveLength(3);
    expect(runs.filter((key) => key !== "bad/bomb").length).toBeLessThanOrEqual(4);
  });

  test("an unwanted render is not repeated", async () => {
    const folder = aSocketFolder();
    const begun = Promise.withResolvers<void>();
    const unwanted = new AbortController();
    const cancelled = Promise.withResolvers<void>();
    const zone = await aFakeZone(folder, async ({ signal }) => {
      signal.addEventListener("abort", () => cancelled.resolve());
      begun.resolve();
      return await new Promise(() => {});
    });
    const { runner } = aZoneRunner(folder);
    const render = runner.run(request("a/b", aFolder("x")), { ...patient, unwanted: unwanted.signal });
    const failed = expect(render).rejects.toBeInstanceOf(ZoneLostError);
    await begun.promise;
    unwanted.abort();
    await cancelled.promise;
    await zone.die();
    await failed;
  });

  test("reports when a program's process works for a render, also if the zone is lost or its notifications are incomplete", async () => {
    const folder = aSocketFolder();
    const serve: Serve = async ({ send }) => {
      for (const running of [true, false, true]) await send({ body: { running } });
      return theEnd();
    };
    await aFakeZone(folder, serve, "programs");
    const { runner } = aZoneRunner(folder);
    const heard: boolean[] = [];
    const onRunning = (isRunning: boolean): void => void heard.push(isRunning);
    await runner.run(request("a/b", aFolder("x"), program({})), { ...patient, onRunning });
    expect(heard).toEqual([true, false, true, false]);
  });

  test("reports that a program is slow, its output, and its metrics", async () => {
    const folder = aSocketFolder();
    const did = [{ did: "run", warm: true, durationMs: 3 }];
    const serve: Serve = async ({ send, parts }) => {
      await send({ body: { slow: true } });
      return theEnd({ readPaths: ["main.ts"] }, { did, printed: String(parts[0]) });
    };
    await aFakeZone(folder, serve, "programs");
    const observed: unknown[] = [];
    const { runner, log } = aZoneRunner(folder, observed as never);
    let slow = 0;
    const patience = { ...patient, onSlow: () => void slow++ };
    const rendered = await runner.run(request("a/b", aFolder("x"), program({ deep: [1] })), patience);
    expect({ slow, observed }).toEqual({ slow: 1, observed: did });
    expect(rendered.readPaths).toEqual(["main.ts"]);
    expect(log.entries.find(({ message }) => message === "A program printed")?.fields).toEqual({
      release: "a/b",
      text: '{"deep":[1]}',
    });
  });
});
