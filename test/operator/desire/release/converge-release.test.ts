import { describe, expect, test } from "vitest";
import { explainByDefinition } from "../../../../operator/desire/release/converge-release.ts";
import { ApiUnavailableError, ObjectRejectedError } from "../../../../operator/errors.ts";

const kind = "example.dev/Widget";
const bySchema = new ObjectRejectedError(`${kind}/shop/web`, ".spec.x: field not declared in schema", {
  isBySchema: true,
});
const changed = { isDefinitionNew: (one: string) => one === kind };
const unchanged = { isDefinitionNew: () => false };

describe("explainByDefinition()", () => {
  test("waits for the API server to serve a definition that changed a moment ago", () => {
    expect(explainByDefinition(bySchema, changed)).toEqual({
      state: "waiting",
      message:
        "Waiting for the API server to serve the new CustomResourceDefinition. " +
        "The API server refuses Widget shop/web: .spec.x: field not declared in schema",
      isWatched: true,
    });
  });

  test("does not explain a refusal of a kind whose definition has not changed", () => {
    expect(explainByDefinition(bySchema, unchanged)).toBeUndefined();
  });

  test("does not explain a refusal that is not by a schema", () => {
    expect(
      explainByDefinition(new ObjectRejectedError(`${kind}/shop/web`, "policy"), changed),
    ).toBeUndefined();
  });

  test.for([
    { catalog: changed, is: { state: "retry" } },
    { catalog: unchanged, is: undefined },
  ])("a kind that is not served yet is retried while its definition is new", ({ catalog, is }) => {
    const error = new ApiUnavailableError("no", { status: 404, unknownKind: kind });
    expect(explainByDefinition(error, catalog)).toEqual(is);
  });
});
