import { describe, expect, test } from "vitest";
import { takeOverEntries } from "../../../operator/cluster/field-takeover.ts";

const options = { ownerUid: "u-1", apiVersion: "apps/v1", time: "2026-01-01T00:00:00Z" };
const owning = { "f:metadata": { "f:ownerReferences": { ".": {}, 'k:{"uid":"u-1"}': {} } } };

function entry(manager: string, operation: string, fieldsV1: object, subresource?: string) {
  return {
    manager,
    operation,
    apiVersion: "apps/v1",
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(subresource && { subresource }),
  };
}

describe("takeOverEntries()", () => {
  test("merges the fields of the former operator and of this one into one entry of this one", () => {
    const entries = [
      entry("before", "Update", {
        ...owning,
        "f:spec": { "f:replicas": {}, "f:template": { "f:spec": { "f:a": {} } } },
      }),
      entry("before", "Update", { "f:status": {} }, "status"),
      entry("before", "Apply", { "f:spec": { "f:paused": {} } }),
      entry("fairlead", "Apply", { "f:spec": { "f:template": { "f:spec": { "f:b": {} } } } }),
      entry("kubectl", "Update", { "f:spec": { "f:c": {} } }),
    ];
    expect(takeOverEntries(entries, options)).toEqual([
      {
        ...entry("fairlead", "Apply", {
          ...owning,
          "f:spec": {
            "f:replicas": {},
            "f:template": { "f:spec": { "f:a": {}, "f:b": {} } },
            "f:paused": {},
          },
        }),
        time: options.time,
      },
      entries[1],
      entries[4],
    ]);
  });

  test.for([
    { does: "no manager owns the reference", entries: [entry("kubectl", "Update", { "f:data": {} })] },
    {
      does: "the reference is to another owner",
      entries: [entry("x", "Update", { "f:metadata": { "f:ownerReferences": { 'k:{"uid":"u-2"}': {} } } })],
    },
    { does: "it belongs to this operator already", entries: [entry("fairlead", "Apply", owning)] },
    { does: "there are none", entries: undefined },
  ])("changes nothing when $does", ({ entries }) => {
    expect(takeOverEntries(entries, options)).toBeUndefined();
  });
});
