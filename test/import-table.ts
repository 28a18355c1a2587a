import { engine, operatorImportTable } from "./operator/import-table.ts";
import { type ImportRule, rigImportTable } from "./rig/import-table.ts";

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
  ...operatorImportTable,
  // There is no rule for `operator/` itself: each of its files needs one.
  // Types only.
  "operator/ports.ts": {
    folders: [
      "operator/engine/origin-text.ts",
      "operator/engine/transitions.ts",
      "synth/manifest.ts",
      "crds/object.ts",
    ],
    packages: [],
  },
  "operator/errors.ts": { folders: ["synth/manifest.ts"], packages: [] },
  // The only loop. It knows its steps by their types.
  "operator/reconcile.ts": {
    folders: ["operator/engine", "operator/ports.ts", "operator/errors.ts", "crds/object.ts"],
    packages: [],
  },
  // The options, their values and the kinds that they choose.
  "operator/config/option-values.ts": {
    folders: ["operator/engine/quantity.ts", "crds/duration.ts"],
    packages: ["zod"],
  },
  "operator/config": {
    folders: ["operator/config.ts", "synth/synthesize.ts", "crds/kind-names.ts"],
    packages: ["node:util"],
  },
  "operator/config.ts": {
    folders: [
      "operator/config/option-values.ts",
      "operator/desire/release/release-options.ts",
      "operator/engine/election.ts",
    ],
    packages: ["node:os", "node:path", "zod"],
  },
  // The wiring of one part each. It knows nothing of `desire/`.
  "operator/compose": {
    folders: [
      "operator/cluster",
      "operator/config.ts",
      "operator/git",
      "operator/runtime",
      "operator/sandbox",
      "operator/telemetry",
      ...engine,
    ],
    packages: ["node:path"],
  },
  "operator/compose/run-zone.ts": {
    folders: ["operator/sandbox/main.ts", "operator/git/publish/main.ts", "operator/git/source/main.ts"],
    packages: [],
  },
  // The wiring of all parts.
  "operator/compose.ts": {
    folders: [
      "operator/cluster",
      "operator/compose",
      "operator/desire/compose-delivery.ts",
      "operator/desire/kind-controller.ts",
      "operator/runtime/kind-stores.ts",
      ...engine,
    ],
    packages: [],
  },
  "operator/main.ts": {
    folders: [
      "operator/cluster/kube-config.ts",
      "operator/compose.ts",
      "operator/compose/run-zone.ts",
      "operator/config.ts",
      "operator/config",
      "operator/runtime/clock.ts",
      "operator/runtime/memory-limit.ts",
      "operator/runtime/signals.ts",
      "operator/telemetry/log.ts",
      "operator/telemetry/version.ts",
      "synth/synthesize.ts",
      "crds/object.ts",
    ],
    packages: ["node:crypto", "node:os"],
  },
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
