/** The permitted imports of a folder besides itself: folders (or files) of the project, and packages. */
export interface ImportRule {
  readonly folders: readonly string[];
  readonly packages: readonly string[];
}

/** The part of the import table for `rig/`. No folder of the product may import any of it. */
export const rigImportTable: Record<string, ImportRule> = {
  // Injects faults into the operator and its parts, with the helpers of the tests.
  rig: {
    folders: ["test", "index.ts", "operator", "cli", "charts", "constructs", "synth", "crds"],
    packages: ["node:*", "cdk8s", "commander", "vitest", "yaml", "zod"],
  },
  "rig/bench": {
    folders: ["rig/program-options.ts", "index.ts", "cli/local-cluster", "cli/image"],
    packages: ["node:*", "cdk8s", "commander", "zod"],
  },
  "rig/bench/implementation": { folders: ["index.ts"], packages: ["node:*", "cdk8s", "constructs", "zod"] },
  // Measures the shipped operator with its kinds. The rest of the benchmark measures an operator that is built with the package.
  "rig/bench/releases": {
    folders: [
      "rig/bench",
      "charts/bindings-delivery.ts",
      "cli/commands/crds.ts",
      "cli/local-cluster",
      "cli/image",
    ],
    // cdk8s only in the text of a program that is deployed.
    packages: ["node:*", "cdk8s", "commander"],
  },
  "rig/bench/pipelines": { folders: ["rig/bench", "cli/local-cluster"], packages: ["node:*", "commander"] },
};
