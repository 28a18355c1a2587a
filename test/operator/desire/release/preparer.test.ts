import { describe, expect, test } from "vitest";
import { createPreparer } from "../../../../operator/desire/release/preparer.ts";
import { aCatalog, aRelease, aSourceManifest, asRendered } from "../../../fakes/releases.ts";

const configMap = aSourceManifest("v1", "ConfigMap", "web");
const widget = aSourceManifest("example.dev/v1", "Widget", "w");

describe("createPreparer()", () => {
  const rendered = asRendered([widget, configMap]);
  const release = aRelease();

  test("returns the identical result while nothing changed, and a new one after any change", () => {
    const prepare = createPreparer();
    const first = prepare(rendered, release, aCatalog());
    const catalog = aCatalog();
    const again = prepare(rendered, release, catalog);
    expect(prepare(rendered, aRelease({ generation: 2 }), catalog)).toBe(again);
    expect(prepare(rendered, aRelease({ spec: { target: { namespace: "prod" } } }), catalog)).not.toBe(again);
    prepare(rendered, release, catalog);
    const known = {
      "example.dev/v1/Widget": {
        group: "example.dev",
        version: "v1",
        kind: "Widget",
        plural: "widgets",
        namespaced: true,
      },
    };
    expect(prepare(rendered, release, aCatalog(known)).objects.every(({ kind }) => kind !== undefined)).toBe(
      true,
    );
    expect(first.digest).toBe(again.digest);
  });

  test("drops the least recently used result, and others on request", () => {
    const prepare = createPreparer({ capacity: 1 });
    const catalog = aCatalog();
    const first = prepare(rendered, release, catalog);
    prepare(rendered, aRelease({ name: "other" }), catalog);
    const second = prepare(rendered, release, catalog);
    expect(second).not.toBe(first);
    prepare.forget(release.metadata.uid);
    expect(prepare(rendered, release, catalog)).not.toBe(second);
  });
});
