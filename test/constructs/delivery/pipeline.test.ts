import { App, Chart } from "cdk8s";
import { describe, expect, test } from "vitest";
import { Pipeline } from "../../../constructs/delivery/index.ts";
import { manifestsOf, url } from "./delivery-manifests.ts";

/** A program with a type and without a schema. */
interface TypedProgram {
  default: (app: App, inputs: { readonly replicas: number }) => void;
}

function stagesOf(add: (pipeline: Pipeline) => void): readonly object[] {
  const pipeline = manifestsOf(add).find(({ kind }) => kind === "Pipeline");
  return pipeline?.spec?.stages ?? [];
}

describe("stages of a Pipeline", () => {
  test("follow the previously added one", () => {
    const stages = stagesOf((pipeline) => {
      pipeline.addStage("dev");
      pipeline.addStage("staging", { pass: { soak: "10m" } });
    });
    expect(stages).toEqual([
      { name: "dev", releases: [] },
      { name: "staging", after: ["dev"], releases: [], pass: { soak: "10m" } },
    ]);
  });

  test("of a wave are parallel, and the next one follows all of them", () => {
    const stages = stagesOf((pipeline) => {
      pipeline.addStage("staging");
      pipeline.addWave({ "prod-eu": {}, "prod-us": {} });
      pipeline.addStage("archive");
    });
    expect(stages).toEqual([
      { name: "staging", releases: [] },
      { name: "prod-eu", after: ["staging"], releases: [] },
      { name: "prod-us", after: ["staging"], releases: [] },
      { name: "archive", after: ["prod-eu", "prod-us"], releases: [] },
    ]);
  });

  test.each([
    { does: "with a dot", name: "prod.eu", why: /lower-case letters, digits and hyphens/ },
    { does: "of the same name", name: "dev", why: /there is a stage of this name/ },
  ])("are refused $does", ({ name, why }) => {
    expect(() =>
      manifestsOf((pipeline) => {
        pipeline.addStage("dev");
        pipeline.addStage(name);
      }),
    ).toThrow(why);
  });

  test("are refused in an empty wave", () => {
    expect(() => manifestsOf((pipeline) => pipeline.addWave({}))).toThrow(/it has no stage/);
  });
});

describe("a Release of a stage", () => {
  test("is deployed to the stage's namespace, with an account and a binding", () => {
    const manifests = manifestsOf((pipeline) => {
      pipeline.addStage("dev").addRelease<TypedProgram>("web", { path: "web", inputs: { replicas: 1 } });
    });
    expect(manifests.map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name])).toEqual([
      ["Pipeline", "delivery", "shop"],
      ["Namespace", undefined, "shop-dev"],
      ["ServiceAccount", "shop-dev", "web"],
      ["RoleBinding", "shop-dev", "web"],
      ["Release", "shop-dev", "web"],
    ]);
    expect(manifests.at(-1)).toMatchObject({
      spec: {
        source: { url, path: "web", ref: { pipeline: "shop", stage: "dev", namespace: "delivery" } },
        render: { program: { entry: "main.ts", inputs: { replicas: 1 } } },
        target: { serviceAccountName: "web" },
      },
    });
    expect(manifests[0]).toMatchObject({
      spec: { stages: [{ name: "dev", releases: [{ name: "web", namespace: "shop-dev" }] }] },
    });
  });

  test("is compared with the Releases of its counterpart, except for the differences of its stage", () => {
    const differences = [{ kind: "Deployment", fields: ["spec.replicas"] }];
    const stages = stagesOf((pipeline) => {
      pipeline.addStage("staging").addRelease("web-staging", { path: "web" });
      pipeline
        .addStage("prod", { differences })
        .addRelease("web", { path: "web", counterpart: "web-staging" });
    });
    expect(stages[1]).toEqual({
      name: "prod",
      after: ["staging"],
      releases: [{ name: "web", namespace: "shop-prod", counterpart: "web-staging" }],
      differences,
    });
  });

  test("is created after its rights, because it plans at once", () => {
    const chart = new Chart(new App(), "delivery");
    const pipeline = new Pipeline(chart, "shop", { name: "shop", namespace: "delivery", source: { url } });
    const stage = pipeline.addStage("dev").addRelease("web", { path: "web" });
    const release = stage.node.findChild("web").node.findChild("release");
    expect(release.node.dependencies.map(({ node }) => node.id)).toEqual(["binding"]);
  });

  test("of a folder of manifests has no program", () => {
    const manifests = manifestsOf((pipeline) => {
      pipeline.addStage("dev").addRelease("custom", { path: "custom", program: false });
    });
    expect(manifests.at(-1)).toMatchObject({ spec: { render: { manifests: {} } } });
  });

  test("has the permissions of the given rules", () => {
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["*"] }];
    const manifests = manifestsOf((pipeline) => {
      pipeline.addStage("dev").addRelease("web", { path: "web", rights: rules });
    });
    expect(manifests.find(({ kind }) => kind === "Role")).toMatchObject({ rules });
    expect(manifests.find(({ kind }) => kind === "RoleBinding")).toMatchObject({
      roleRef: { kind: "Role", name: "web" },
    });
  });

  test("uses the credentials and the keys of the Pipeline's source, and not its folder", () => {
    const source = { url, path: "apps", secretRef: { name: "git" }, verify: { secretRef: { name: "keys" } } };
    const manifests = manifestsOf(
      (pipeline) => {
        pipeline.addStage("dev").addRelease("web", { path: "apps/web" });
      },
      { source, serviceAccountName: "git-reader" },
    );
    expect(manifests[0]).toMatchObject({
      kind: "Pipeline",
      spec: { source, serviceAccountName: "git-reader" },
    });
    expect(manifests.at(-1)).toMatchObject({
      spec: {
        source: { path: "apps/web", secretRef: { name: "git" }, verify: { secretRef: { name: "keys" } } },
      },
    });
  });

  test("is refused if the stage has a Release with its name", () => {
    expect(() =>
      manifestsOf((pipeline) => {
        pipeline.addStage("dev").addRelease("web", { path: "a" }).addRelease("web", { path: "b" });
      }),
    ).toThrow(/there is one of this name/);
  });

  test("checks its inputs against the program's type", () => {
    manifestsOf((pipeline) => {
      // @ts-expect-error -- replicas is a number.
      pipeline.addStage("dev").addRelease<TypedProgram>("web", { path: "web", inputs: { replicas: "1" } });
      // @ts-expect-error -- the program needs inputs.
      pipeline.addStage("staging").addRelease<TypedProgram>("web", { path: "web" });
    });
  });
});

describe("stages in one namespace", () => {
  const shared = { namespace: "shop-prod" };

  test("have one Namespace object, which the first one that is to create it creates", () => {
    const namespaces = manifestsOf((pipeline) => {
      pipeline.addStage("dev", { ...shared, createNamespace: false });
      pipeline.addWave({ "prod-eu": shared, "prod-us": shared });
    }).filter(({ kind }) => kind === "Namespace");
    expect(namespaces.map(({ metadata }) => metadata.name)).toEqual(["shop-prod"]);
  });

  test("have Releases of different names", () => {
    expect(() =>
      manifestsOf((pipeline) => {
        const prod = pipeline.addWave({ "prod-eu": shared, "prod-us": shared });
        for (const stage of Object.values(prod)) stage.addRelease("web", { path: "web" });
      }),
    ).toThrow(
      'Cannot add Release "web" to stage "prod-us": stage "prod-eu" has one of this name in namespace "shop-prod"',
    );
  });
});

test("stages and Releases may have any name", () => {
  const manifests = manifestsOf((pipeline) => {
    pipeline.addStage("pipeline").addRelease("namespace", { path: "web" });
  });
  expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    "Pipeline shop",
    "Namespace shop-pipeline",
    "ServiceAccount namespace",
    "RoleBinding namespace",
    "Release namespace",
  ]);
});
