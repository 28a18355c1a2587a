import { type ImportRule, rigImportTable } from "./rig/import-table.ts";

/** The primitives that limit rates, concurrency, retries and time on the event loop. They import ports only. */
const pacing = ["alarm", "backoff", "fair-semaphore", "sleep", "time-slice", "token-bucket"].map(
  (name) => `operator/runtime/${name}.ts`,
);

/** What nearly every folder of the operator may import: the engine, and what it imports. */
const engine = ["operator/engine", "operator/ports.ts", "operator/errors.ts", "synth", "crds"];

/** The permitted imports of a folder besides itself: folders (or files) of the project, and packages. DESIGN.md section 1. */
export const importTable: Record<string, ImportRule> = {
  crds: { folders: [], packages: ["zod", "node:crypto"] },
  constructs: { folders: ["crds"], packages: ["cdk8s", "cdk8s-plus-27", "constructs"] },
  charts: { folders: ["constructs", "crds"], packages: ["cdk8s", "cdk8s-plus-27", "constructs", "zod"] },
  // The only reader of cron expressions.
  "charts/pipeline/recurrence.ts": { folders: ["charts/pipeline", "crds"], packages: ["croner"] },
  "synth/main.ts": {
    folders: ["synth", "charts", "constructs", "crds"],
    packages: ["cdk8s", "constructs", "node:*"],
  },
  synth: { folders: ["crds"], packages: ["cdk8s", "constructs", "yaml", "zod", "node:crypto"] },
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
      "operator/sandbox/launch-arguments.ts",
      "operator/sandbox/kernel-isolation.ts",
      "operator/sandbox/find-launcher.ts",
      "operator/sandbox/zone-command.ts",
      "operator/sandbox/isolation-report.ts",
      "operator/runtime/clock.ts",
      "operator/telemetry/log.ts",
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
      "operator/sandbox/launch-arguments.ts",
      "operator/sandbox/kernel-isolation.ts",
      "operator/sandbox/find-launcher.ts",
      "operator/sandbox/zone-command.ts",
      "operator/sandbox/isolation-report.ts",
      "operator/runtime/clock.ts",
      ...pacing,
      "operator/telemetry/log.ts",
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
    folders: ["operator/ports.ts", ...pacing],
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
    folders: ["operator/engine", "operator/ports.ts", "operator/errors.ts", "crds"],
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
      "operator/compose",
      "operator/config/option-values.ts",
      "operator/reconcile.ts",
      "operator/cluster/found-kinds",
      "operator/git",
      "operator/render",
      "operator/sandbox",
      "operator/runtime",
      ...engine,
    ],
    packages: ["node:*", "zod"],
  },
  "operator/render": {
    folders: ["operator/git/source/ports.ts", ...pacing, ...engine],
    packages: ["node:*", "js-yaml", "ignore"],
  },
  "operator/sandbox/program": {
    folders: [
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
    folders: [
      "operator/engine/json-shape.ts",
      "operator/runtime",
      "operator/ports.ts",
      "operator/errors.ts",
      "crds",
    ],
    packages: ["node:*"],
  },
  operator: { folders: ["operator", "synth", "crds"], packages: ["node:*", "zod"] },
  cli: {
    folders: ["index.ts", "operator", "charts", "constructs", "synth", "crds"],
    packages: ["node:*", "cdk8s", "commander", "diff", "listr2", "yaml", "zod"],
  },
  "cli/image": {
    folders: ["operator", "charts", "cli/launcher", "cli/terminal-text.ts"],
    packages: ["node:*", "esbuild"],
  },
  "index.ts": {
    folders: ["operator", "charts", "constructs", "synth", "crds", "cli/commands"],
    packages: [],
  },
  // The program that a Release deploys in the demo, as written by a user.
  samples: { folders: [], packages: ["cdk8s", "cdk8s-plus-27", "constructs", "fairlead"] },
  ...rigImportTable,
};
