import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Pod } from "../crds/core-kinds.ts";
import type { LiveObject } from "../crds/object.ts";
import { backup } from "./examples/backup.ts";
import { ReconcileBench } from "./fakes/reconcile-bench.ts";
import { aResource } from "./fakes/resources.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

describe("the examples of docs/own-kinds.md", () => {
  test.for(["backup", "build-info", "nap"])("%s is the program that this test runs", (name) => {
    const program = read(`test/examples/${name}.ts`).replaceAll('"../../index.ts"', '"fairlead"');
    expect(read("docs/own-kinds.md")).toContain(`\n\`\`\`ts\n${program}\`\`\`\n`);
  });

  test("the kind with record, verdict and retirement is the one that is tested", () => {
    const kind = read("test/fakes/batch-kind.ts").replace('"../../index.ts"', '"fairlead"');
    expect(read("docs/own-kinds.md")).toContain(`\n\`\`\`ts\n${kind}\`\`\`\n`);
  });
});

/** A Backup whose first request was made. */
async function aBackup() {
  const ask = (request: string, image = "copy:1") => aResource(backup, { spec: { image, request } });
  const bench = new ReconcileBench({ kind: backup, resource: { spec: ask("r1").spec } });
  const run = async () => {
    await bench.reconcile();
    return bench.takeRequests().filter((line) => !line.startsWith("status"));
  };
  const podOf = (request: string): LiveObject => {
    const pod = bench.stores.children(Pod).get(`shop/web-${request}`);
    if (pod === undefined) throw new Error(`there is no pod of ${request}`);
    return pod;
  };
  return {
    bench,
    run,
    podOf,
    edit: (request: string, image?: string) => bench.edit(ask(request, image)),
    end: (request: string) =>
      bench.deliver(bench.cluster.put({ ...podOf(request), status: { phase: "Succeeded" } })),
  };
}

describe("a Backup", () => {
  test("runs a pod for each request, and makes a receipt when it has ended", async () => {
    const { run, edit, end } = await aBackup();
    expect(await run()).toEqual(["apply ServiceAccount/web", "apply Pod/web-r1"]);
    edit("r1", "copy:2");
    expect(await run()).toEqual([]);
    end("r1");
    expect(await run()).toEqual(["apply ConfigMap/web-r1"]);
    edit("r2");
    expect(await run()).toEqual(["apply Pod/web-r2"]);
  });

  test("never runs an ended pod again that a user deletes", async () => {
    const { bench, run, end, podOf } = await aBackup();
    await run();
    end("r1");
    await run();
    bench.vanish(podOf("r1"));
    expect(await run()).toEqual([]);
  });

  test("deletes a pod that still runs for an earlier request", async () => {
    const { run, edit } = await aBackup();
    await run();
    edit("r2");
    expect(await run()).toEqual(["apply Pod/web-r2", "delete Pod/web-r1"]);
  });

  test("keeps two older receipts, and the pods that have ended", async () => {
    const { bench, run, edit, end } = await aBackup();
    const requests: string[] = [];
    for (const request of ["r1", "r2", "r3", "r4"]) {
      edit(request);
      requests.push(...(await run()));
      end(request);
      requests.push(...(await run()));
    }
    expect(requests.filter((line) => line.startsWith("delete"))).toEqual(["delete ConfigMap/web-r1"]);
    expect(bench.condition("Applied")).toBe("True Applied");
  });
});
