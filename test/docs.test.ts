import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type * as z from "zod";
import { kinds } from "../charts/bindings.ts";
import { shippedKinds } from "../charts/bindings-delivery.ts";
import { linesToTry } from "../cli/demo/lines-to-try.ts";
import { environmentTwinOf, type OptionName, operatorOptions } from "../operator/config.ts";
import { Metrics } from "../operator/telemetry/metrics.ts";
import type { PublishCounts } from "../operator/telemetry/publish-metrics.ts";
import { commands } from "./documented-commands.ts";
import { documentedMetrics } from "./documented-metrics.ts";
import { readPrometheusText } from "./fakes/prometheus-text.ts";
import { RecordingLogger } from "./fakes/recording-logger.ts";

const metricName =
  /\b(?:fairlead|controller_runtime|workqueue|rest_client|leader_election|process|nodejs)_[a-z_]+/g;

const root = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "rig/bench/RESULTS.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => `docs/${path}`),
];

/** The text outside of code blocks, whose content is not Markdown. */
const proseOf = (page: string): string => read(page).replaceAll(/^ *```[\s\S]*?^ *```/gm, "");

const headingsOf = (page: string): string[] =>
  [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);

/** GitHub's anchor for a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

describe("README.md", () => {
  test("shows the commands that npm start prints", () => {
    const readme = read("README.md");
    const [kubeconfig = ""] = /\/demo\/fairlead-start-\w+\/kubeconfig/.exec(readme) ?? [];
    const [repository = ""] = /\/demo\/fairlead-start-\w+\/rendered\.git/.exec(readme) ?? [];
    const workTree = repository.replace(/rendered\.git$/, "shop");
    const lines = linesToTry({
      kubeconfig,
      context: undefined,
      kubectl: "kubectl",
      repository,
      workTree,
      approves: true,
    });
    expect(readme).toContain(`\n${lines.join("\n")}\n`);
  });

  test("has fewer than 200 lines", () => {
    expect(read("README.md").split("\n").length).toBeLessThan(200);
  });
});

describe("docs/running.md", () => {
  const running = read("docs/running.md");

  test.for(Object.keys(operatorOptions) as OptionName[])(
    "has %s, its environment variable and its default",
    (name) => {
      const spec: { flag: string; value?: string; fallback?: string } = operatorOptions[name];
      const row = running.split("\n").find((line) => line.startsWith(`| \`--${spec.flag}`)) ?? "";
      const [, option, twin, fallback, says] = row.split("|").map((cell) => cell.trim());

      expect(option).toBe(`\`--${spec.flag}${spec.value === undefined ? "" : ` ${spec.value}`}\``);
      expect(twin).toBe(`\`${environmentTwinOf(name)}\``);
      if (spec.fallback) expect(fallback).toBe(`\`${spec.fallback}\``);
      else expect(fallback).not.toBe("");
      expect(says).not.toBe("");
    },
  );

  test("has only options that exist", () => {
    const flags = [...running.matchAll(/^\| `--([a-z-]+)/gm)].map(([, flag]) => flag);
    expect(flags).toEqual(Object.values(operatorOptions).map(({ flag }) => flag));
  });
});

describe.for(kinds.map(({ definition }) => definition))(
  "the page of $kind",
  ({ kind, group, version, plural, shortNames, spec, status }) => {
    const file = kind.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
    const page = `docs/kinds/${file}.md`;
    const section = (title: string): string[] => {
      const [, text = ""] = proseOf(page).split(`\n## ${title}\n`);
      return [...(text.split(/^## /m)[0] ?? "").matchAll(/^### `(.*)`$/gm)].map(([, field = ""]) => field);
    };

    test("has a heading per field of spec and status, and no other", () => {
      expect(section("Spec").toSorted()).toEqual(fieldsOf(spec));
      expect(section("Status").toSorted()).toEqual(fieldsOf(status));
    });

    test("names group, version, plural and short names", () => {
      const intro = proseOf(page).split("\n## ")[0];
      for (const name of [`${group}/${version}`, plural, ...shortNames])
        expect(intro).toContain(`\`${name}\``);
    });

    test("shows the sample that ships", () => {
      const sample = `samples/${file}.yaml`;
      const [, ...lines] = read(sample).trimEnd().split("\n");
      expect(read(page)).toContain(`# ${sample}\n${lines.join("\n")}\n`);
    });
  },
);

function fieldsOf(schema: z.ZodObject): string[] {
  return Object.keys(schema.shape).toSorted();
}

describe("docs/conditions.md", () => {
  const conditions = read("docs/conditions.md");
  const source = read("crds/conditions.ts");
  /** The members of a closed union, which are types only and so are read from the source. */
  const membersOf = (type: string): string[] => {
    const [, union = ""] = source.split(`export type ${type} =`);
    return [...(union.split(";")[0] ?? "").matchAll(/"([A-Za-z]+)"/g)].map(([, member = ""]) => member);
  };

  test.for(["Reason", "ConditionType"])("has a row for each %s, and for no other", (type) => {
    const title = type === "Reason" ? "Reasons" : "Conditions";
    const [, text = ""] = conditions.split(`\n## ${title}\n`);
    const rows = (text.split("\n## ")[0] ?? "").matchAll(/^\| `([A-Za-z]+)` \|/gm);
    expect(membersOf(type)).not.toEqual([]);
    expect([...rows].map(([, name = ""]) => name).toSorted()).toEqual(membersOf(type).toSorted());
  });
});

describe("docs/troubleshooting.md", () => {
  /** Reasons of normal states, which need no remedy. */
  const well = ["Reconciled", "Applied", "Healthy", "Sourced", "Published"];

  test("has a remedy for each reason of a problem", () => {
    const page = read("docs/troubleshooting.md");
    const rows = read("docs/conditions.md").split("\n## Reasons\n")[1] ?? "";
    const reasons = [...rows.matchAll(/^\| `([A-Za-z]+)` \|/gm)].map(([, name = ""]) => name);
    expect(reasons.length).toBeGreaterThan(30);
    expect(reasons.filter((name) => !well.includes(name) && !page.includes(`\`${name}\``))).toEqual([]);
  });
});

const nothingPublished: PublishCounts = {
  pushed: 0,
  pushes: 0,
  refused: 0,
  retried: 0,
  lsRemotes: 0,
  fetches: 0,
  rebuilds: 0,
  pending: 0,
  oldestPendingMs: 0,
  failing: undefined,
  heldFolders: 0,
};

describe("docs/observability.md", () => {
  const documented = documentedMetrics(read("docs/observability.md"));

  test("has a row for each metric of an operator with all features enabled, and for no other", async () => {
    const metrics = new Metrics({ version: "1.2.3", hasRepository: true });
    metrics.leader("fairlead");
    metrics.events.watch(() => ({ written: 0, dropped: 0 }));
    metrics.stores.watch([]);
    metrics.publish.watch(() => nothingPublished);
    metrics.sources.watchSources(() => ({ polls: 0, fetches: 0, rebuilds: 0 }));
    metrics.sources.watchFailing({ list: () => [] });
    const none = { stores: { resources: () => ({ list: () => [] }) }, isLeading: () => true };
    for (const kind of shippedKinds) metrics.kinds.observe(kind, { ...none, log: new RecordingLogger() });
    const served = readPrometheusText((await metrics.expose()).body);
    expect([...served.values()].map(({ name, type }) => `${name} ${type}`).toSorted()).toEqual(documented);
  });

  test("has every metric that alerts and dashboard use", () => {
    const names = new Set(documented.map((row) => row.split(" ")[0]));
    const asked = ["constructs/alerts.ts", "constructs/dashboard.ts"]
      .flatMap((file) => [...read(file).matchAll(metricName)])
      .map(([name]) => name.replace(/_(bucket|sum|count)$/, ""));
    expect(asked.length).toBeGreaterThan(5);
    expect(asked.filter((name) => !names.has(name))).toEqual([]);
  });
});

describe.for(pages)("%s", (page) => {
  test("has only commands and options that exist", () => {
    const typed = read(page)
      .replaceAll("\\\n", " ")
      .matchAll(/npx fairlead ([\w-]+)([^\n`|]*)/g);
    const unknown = [...typed].flatMap(([, name = "", rest = ""]) => {
      const options = commands.get(name);
      if (options === undefined) return [name];
      const flags = rest.split(" #")[0]?.match(/--[a-z][a-z-]*/g) ?? [];
      return flags.filter((flag) => flag !== "--help" && !options.has(flag)).map((flag) => `${name} ${flag}`);
    });
    expect(unknown).toEqual([]);
  });

  test("has no broken link", () => {
    const broken = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = ""]) => link)
      .filter((link) => !/^[a-z]+:/.test(link) && !leadsSomewhere(page, link));
    expect(broken).toEqual([]);
  });

  test("names only samples that exist", () => {
    const named = [...read(page).matchAll(/\bsamples\/[\w.-]+\.yaml/g)].map(([path]) => path);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

function leadsSomewhere(page: string, link: string): boolean {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || headingsOf(target).map(anchorOf).includes(anchor);
}
