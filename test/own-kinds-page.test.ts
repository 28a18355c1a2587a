import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Job, Pod } from "../crds/core-kinds.ts";
import type { LiveObject } from "../crds/object.ts";
import { Metrics } from "../operator/telemetry/metrics.ts";
import { backup } from "./examples/backup.ts";
import { migration } from "./examples/migration.ts";
import { tableImport } from "./examples/table-import.ts";
import { ReconcileBench } from "./fakes/reconcile-bench.ts";
import { RecordingLogger } from "./fakes/recording-logger.ts";
import { aResource } from "./fakes/resources.ts";
import { noteSenders } from "./fakes/senders.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

describe("the examples of docs/own-kinds.md", () => {
  test.for(["backup", "build-info", "migration", "nap", "table-import"])(
    "%s is the program that this test runs",
    (name) => {
      const program = read(`test/examples/${name}.ts`).replaceAll('"../../index.ts"', '"fairlead"');
      expect(read("docs/own-kinds.md")).toContain(`\n\`\`\`ts\n${program}\`\`\`\n`);
    },
  );

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
  test("runs a pod for each request, and creates a receipt when it has ended", async () => {
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

/** A TableImport, its Job, and the status that the operator reports. */
async function aTableImport() {
  const metrics = new Metrics({ version: "1.2.3", hasRepository: false });
  const bench: ReconcileBench = new ReconcileBench({
    kind: tableImport,
    resource: { spec: { table: "orders" } },
    onStatus: (before, now) => onStatus?.(before, now),
  });
  const { resources } = bench.stores;
  const onStatus = metrics.kinds.observe(tableImport, {
    stores: { resources },
    isLeading: () => true,
    log: new RecordingLogger(),
  });
  await bench.reconcile();
  return {
    end: async (status: object) => {
      const job = bench.stores.children(Job).get("shop/web") ?? expect.fail("there is no Job");
      bench.deliver(bench.cluster.put({ ...job, status }));
      await bench.reconcile();
    },
    shown: async () => (await metrics.expose()).body.split("\n").filter((line) => line.startsWith("import")),
  };
}

describe("a TableImport", () => {
  test("shows that it runs, then that it has finished, and how long it took", async () => {
    const { end, shown } = await aTableImport();
    const labels = 'namespace="shop",table="orders"';
    expect(await shown()).toEqual([`imports_running{${labels},name="web"} 1`]);
    await end({ startTime: "2026-01-01T00:00:00Z", completionTime: "2026-01-01T00:00:30Z" });
    expect(await shown()).toEqual([
      `imports_running{${labels},name="web"} 0`,
      `imports_finished_total{${labels}} 1`,
      ...[
        `1",${labels}} 0`,
        `10",${labels}} 0`,
        `60",${labels}} 1`,
        `600",${labels}} 1`,
        `+Inf",${labels}} 1`,
      ].map((bucket) => `import_duration_seconds_bucket{le="${bucket}`),
      `import_duration_seconds_sum{${labels}} 30`,
      `import_duration_seconds_count{${labels}} 1`,
    ]);
  });
});

/** A Migration, and the senders of the requests for its objects. */
function aMigration(timeout = "10m") {
  const spec = {
    image: "migrate:1",
    schema: "v7",
    serviceAccountName: "migrator",
    ...(timeout && { timeout }),
  };
  const bench = new ReconcileBench({ kind: migration, resource: { spec } });
  const sent = noteSenders(bench.cluster);
  return { bench, sent };
}

describe("a Migration", () => {
  test("changes the ConfigMap when its Job is complete, as its account", async () => {
    const { bench, sent } = aMigration();
    await bench.reconcile();
    expect(sent).toEqual(["migrator apply Job/web"]);
    const job = bench.stores.children(Job).get("shop/web") ?? expect.fail("there is no Job");
    const conditions = [{ type: "Complete", status: "True" }];
    bench.deliver(bench.cluster.put({ ...job, status: { succeeded: 1, conditions } }));
    await bench.reconcile();
    expect(sent).toEqual(["migrator apply Job/web", "migrator apply ConfigMap/web"]);
  });

  test("has failed when its Job is not complete in time", async () => {
    const { bench } = aMigration();
    const { requeueAfterMs } = await bench.reconcile();
    expect(requeueAfterMs).toBe(600_000);
    expect(bench.condition("Healthy")).toBe("False Progressing");
    await bench.clock.advance(600_000);
    await bench.reconcile();
    expect(bench.condition("Healthy")).toBe("False Failed");
  });

  test("is refused with a timeout that is no duration", async () => {
    const { bench, sent } = aMigration("soon");
    await bench.reconcile();
    expect(bench.condition("Applied")).toBe("False SpecInvalid");
    expect(sent).toEqual([]);
  });
});
