import type { ImportRule } from "../rig/import-table.ts";

/** The primitives that limit rates, concurrency, retries and time on the event loop. They import ports only. */
const pacing = ["alarm", "backoff", "fair-semaphore", "sleep", "time-slice", "token-bucket"].map(
  (name) => `operator/runtime/${name}.ts`,
);

/** Permitted imports of nearly all folders of the operator: the engine, and what the engine imports. */
export const engine = ["operator/engine", "operator/ports.ts", "operator/errors.ts", "synth", "crds"];

/** The wiring that the controllers of kinds and Releases use. */
const controllers = ["compose-publisher", "controllers", "shared-parts"].map(
  (name) => `operator/compose/${name}.ts`,
);

/** The part of the import table for the folders of `operator/` without its wiring. */
export const operatorImportTable: Record<string, ImportRule> = {
  // The one engine: decisions that are pure, and steps that await one thing each.
  "operator/engine": {
    folders: ["operator/ports.ts", "operator/errors.ts", "synth", "crds"],
    packages: ["node:crypto", "@marcbachmann/cel-js"],
  },
  "operator/runtime": {
    folders: ["operator/engine", "operator/ports.ts", "operator/errors.ts", "synth", "crds"],
    packages: ["node:*"],
  },
  ...Object.fromEntries(
    pacing.map((file) => [file, { folders: ["operator/ports.ts"], packages: ["node:timers/promises"] }]),
  ),
  "operator/cluster": {
    folders: ["operator/runtime/ports.ts", ...pacing, ...engine],
    packages: ["node:*", "undici", "yaml", "@kubernetes/client-node"],
  },
  // The common part of both zones that run git.
  "operator/git": {
    folders: [
      "operator/engine/git-objects.ts",
      ...pacing,
      "operator/ports.ts",
      "operator/runtime/clock.ts",
      "operator/sandbox/code-files.ts",
      "operator/sandbox/find-launcher.ts",
      "operator/sandbox/kernel-isolation.ts",
      "operator/sandbox/launch-arguments.ts",
      "operator/sandbox/isolation-report.ts",
      "operator/sandbox/zone-command.ts",
      "operator/telemetry/log.ts",
      "operator/zones",
    ],
    packages: ["node:*", "zod"],
  },
  // The publish zone, and the decisions of the operator about it.
  "operator/git/publish": {
    folders: [
      "operator/git",
      "operator/zones",
      "operator/sandbox/zone-command.ts",
      "operator/sandbox/isolation-report.ts",
      "operator/engine",
      ...pacing,
      "operator/ports.ts",
      "operator/errors.ts",
    ],
    packages: ["node:*", "zod", "simple-git", "yaml"],
  },
  // The source zone, and the operator's side of it.
  "operator/git/source": {
    folders: [
      "operator/git",
      "operator/zones",
      "operator/hooks",
      "operator/sandbox/zone-command.ts",
      "operator/sandbox/isolation-report.ts",
      ...pacing,
      "operator/config/option-values.ts",
      "operator/ports.ts",
      "operator/errors.ts",
      "operator/engine/git-objects.ts",
      "crds",
    ],
    packages: ["node:*", "zod", "semver"],
  },
  // The protocol between zones, for all zones.
  "operator/zones": {
    folders: ["operator/ports.ts", "operator/engine/json-shape.ts", ...pacing],
    packages: ["node:*"],
  },
  // The process of a program and the reader of its answers have this encoding, and nothing else of the operator.
  "operator/zones/frame.ts": { folders: [], packages: ["node:buffer"] },
  // The available kernel isolation, and the command lines of isolated processes.
  "operator/sandbox/find-launcher.ts": { folders: [], packages: ["node:*"] },
  "operator/sandbox/launch-arguments.ts": { folders: [], packages: [] },
  "operator/sandbox/node-files.ts": { folders: [], packages: ["node:*"] },
  "operator/sandbox/kernel-isolation.ts": {
    folders: ["operator/sandbox/launch-arguments.ts", "operator/sandbox/node-files.ts"],
    packages: ["node:*"],
  },
  // The sandbox zone, and the operator's side of it.
  "operator/sandbox": {
    folders: [
      "operator/zones",
      "operator/render",
      "operator/git/source/ports.ts",
      "operator/runtime",
      "operator/telemetry",
      ...engine,
    ],
    packages: ["node:*", "zod"],
  },
  "operator/telemetry": {
    folders: ["operator/engine", "operator/ports.ts", "crds"],
    packages: ["node:*", "pino", "prom-client", "@opentelemetry/api"],
  },
  // From a custom resource to the desired set of its chart.
  "operator/desire/chart": {
    folders: ["operator/reconcile.ts", ...engine],
    packages: [],
  },
  // The sources of kinds, within the platform's rules for Releases.
  "operator/desire/source": {
    folders: [
      "operator/desire/chart",
      "operator/desire/release",
      "operator/cluster",
      "operator/git/source",
      "operator/runtime/kind-stores.ts",
      ...engine,
    ],
    packages: [],
  },
  // From a Release to the desired set of its source.
  "operator/desire/release": {
    folders: [
      ...controllers,
      "operator/config/option-values.ts",
      "operator/reconcile.ts",
      "operator/cluster/found-kinds",
      "operator/git",
      "operator/render",
      "operator/sandbox",
      "operator/runtime",
      ...engine,
    ],
    packages: ["zod"],
  },
  // The wiring of `desire/`: the controller of a kind, and the parts that need git sources.
  "operator/desire": {
    folders: [
      ...controllers,
      "operator/compose/compose-source-zone.ts",
      "operator/git/source/compose-source-zone.ts",
      "operator/reconcile.ts",
      "operator/runtime/election.ts",
      "operator/runtime/folder-claims.ts",
      "operator/runtime/kind-stores.ts",
      "operator/telemetry/object-metrics.ts",
      ...engine,
    ],
    packages: [],
  },
  "operator/render": {
    folders: ["operator/git/source/ports.ts", ...pacing, ...engine],
    packages: ["node:*", "js-yaml", "ignore"],
  },
  "operator/sandbox/program": {
    folders: [
      "operator/render/json-scanner.ts",
      "operator/render/json-text.ts",
      "operator/render/ports.ts",
      "operator/render/estimate-memory.ts",
      "operator/git/source/ports.ts",
      "operator/sandbox",
      "operator/zones/frame-reader.ts",
      ...pacing,
      ...engine,
    ],
    packages: ["node:*", "esbuild", "yaml"],
  },
  // The code in the processes of programs: it includes cdk8s, and nothing of the operator.
  "operator/sandbox/program/inside": {
    folders: ["operator/zones/frame.ts", "constructs/delivery"],
    packages: ["node:buffer", "node:fs", "node:vm", "cdk8s", "cdk8s-plus-27", "constructs", "yaml", "zod"],
  },
  // Kinds that are found on demand, and the local copies of their objects.
  "operator/cluster/found-kinds": {
    folders: ["operator/cluster", "operator/runtime", ...engine],
    packages: ["node:*"],
  },
  "operator/hooks": {
    folders: ["operator/engine/json-shape.ts", "operator/runtime", "operator/ports.ts"],
    packages: ["node:*"],
  },
};
