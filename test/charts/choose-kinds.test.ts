import { App } from "cdk8s";
import { describe, expect, test } from "vitest";
import { kinds } from "../../charts/bindings.ts";
import { chooseKinds } from "../../charts/choose-kinds.ts";
import { installChart, productChart } from "../../charts/install-chart.ts";
import { readOperatorValues } from "../../charts/values/operator-values.ts";

const image = "fairlead:1";
const chosenBy = (values: object) => {
  const { kinds: chosen, option } = chooseKinds(kinds, readOperatorValues({ image, ...values }));
  return { kinds: chosen.map(({ definition }) => definition.kind), option };
};
const all = kinds.map(({ definition }) => definition.kind);

describe("chooseKinds()", () => {
  test.for([
    [{}, [], "none"],
    [{ samples: { enabled: true } }, all, undefined],
    [{ samples: { enabled: true }, releases: { enabled: false } }, all, undefined],
    [{ kinds: ["Echo"] }, ["Echo"], "echos.mmontes.io"],
    [{ kinds: ["memcached", "echos.mmontes.io", "Echo"] }, ["Echo", "Memcached"], undefined],
    [{ kinds: all, releases: { enabled: false } }, all, undefined],
  ] as const)("%j chooses %j", ([values, wanted, option]) => {
    expect(chosenBy(values).kinds).toEqual(wanted);
    if (option !== undefined || wanted.length === all.length) expect(chosenBy(values).option).toBe(option);
  });

  test("passes all chosen kinds to a program that has more", () => {
    expect(chosenBy({ kinds: ["Memcached", "Echo"] }).option).toBe(
      "echos.mmontes.io,memcacheds.cache.example.com",
    );
  });

  test("refuses an unknown kind, and an installation that reconciles nothing", () => {
    expect(() => chosenBy({ kinds: ["Echo", "Web"] })).toThrow(
      /^kinds\[1\]: expected one of the kinds that ship \(Echo, .*\), found "Web"$/,
    );
    expect(() => chosenBy({ releases: { enabled: false } })).toThrow(
      "releases.enabled: expected true, or samples.enabled or kinds: else nothing is reconciled, found false",
    );
  });
});

/** The CustomResourceDefinitions and the arguments of the program. */
function installedBy(add: (app: App) => void): { readonly crds: readonly string[]; readonly args: string } {
  const app = new App();
  add(app);
  const objects = app.charts.flatMap((chart) => chart.toJson());
  return {
    crds: objects
      .filter(({ kind }) => kind === "CustomResourceDefinition")
      .map(({ metadata }) => metadata.name),
    args: JSON.stringify(objects.filter(({ kind }) => kind === "Deployment")),
  };
}

const releaseCrds = [
  "releases.fairlead.dev",
  "releasepolicies.fairlead.dev",
  "approvals.fairlead.dev",
  "freezes.fairlead.dev",
];
const sampleCrds = kinds.map(({ definition: { plural, group } }) => `${plural}.${group}`);

describe("productChart()", () => {
  test("installs Releases, and shipped kinds only if the values select them", () => {
    const usual = installedBy((app) => productChart(app, { kinds, values: { image } }));
    expect(usual.crds).toEqual(releaseCrds);
    expect(usual.args).toContain('"--kinds=none"');
    const samples = { enabled: true };
    const withSamples = installedBy((app) => productChart(app, { kinds, values: { image, samples } }));
    expect(withSamples.crds).toEqual([...releaseCrds, ...sampleCrds]);
    expect(withSamples.args).not.toContain("--kinds");
    const one = installedBy((app) => productChart(app, { kinds, values: { image, kinds: ["Echo"] } }));
    expect(one.crds).toEqual([...releaseCrds, "echos.mmontes.io"]);
  });
});

describe("installChart()", () => {
  test("installs the given kinds, and Releases only if the values enable them", () => {
    const values = { image };
    const usual = installedBy((app) => installChart(app, { kinds, values }));
    expect(usual.crds).toEqual(sampleCrds);
    expect(usual.args).not.toMatch(/--kinds|--releases/);
    const releases = { enabled: true };
    const both = installedBy((app) => installChart(app, { kinds, values: { ...values, releases } }));
    expect(both.crds).toEqual([...releaseCrds, ...sampleCrds]);
  });
});
