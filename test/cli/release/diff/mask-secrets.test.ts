import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changeOf } from "../../../../cli/release/diff/change.ts";
import { maskSecrets } from "../../../../cli/release/diff/mask-secrets.ts";
import type { KubernetesObject } from "../../../../crds/object.ts";

function aSecret(data: unknown, more: object = {}): KubernetesObject {
  return { apiVersion: "v1", kind: "Secret", metadata: { name: "keys", namespace: "shop" }, data, ...more };
}

describe("maskSecrets()", () => {
  test("shows which keys differ, and not their values", () => {
    const sides = maskSecrets({
      before: aSecret({ same: "YQ==", old: "Yg==", gone: "Yw==" }),
      after: aSecret({ same: "YQ==", old: "ZA==", new: "ZQ==" }),
    });
    expect(sides.before?.["data"]).toEqual({ same: "***", old: "*** (before)", gone: "***" });
    expect(sides.after?.["data"]).toEqual({ same: "***", old: "*** (after)", new: "***" });
  });

  test("does not change anything else", () => {
    const config = { ...aSecret({ a: "b" }), kind: "ConfigMap" };
    expect(maskSecrets({ before: config, after: undefined })).toEqual({ before: config, after: undefined });
  });

  test("shows no value, anywhere in a Secret, on either side", () => {
    const value = fc
      .string({ minLength: 8, maxLength: 40, unit: "grapheme-ascii" })
      .map((text) => `<${text}>`);
    const values = fc.dictionary(fc.constantFrom("a", "b", "c"), value);
    fc.assert(
      fc.property(values, values, values, (one, two, three) => {
        const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(one) };
        const metadata = { name: "keys", namespace: "shop", annotations };
        const before = aSecret(one, { stringData: three, metadata });
        const after = aSecret(two, { stringData: one });
        for (const sides of [
          { before, after },
          { before, after: undefined },
          { before: undefined, after },
        ]) {
          const { diff } = changeOf({ id: "/Secret/shop/keys", ...sides });
          for (const secret of [one, two, three].flatMap((all) => Object.values(all))) {
            expect(diff).not.toContain(secret);
            expect(diff).not.toContain(JSON.stringify(secret).slice(1, -1));
          }
        }
      }),
    );
  });

  test("shows no data that is not a map", () => {
    expect(maskSecrets({ before: aSecret("hunter2"), after: aSecret(["hunter2"]) }).before?.["data"]).toBe(
      "***",
    );
  });
});
