import { describe, expect, test } from "vitest";
import { programKey } from "../../../../rig/bench/cell/programs.ts";

describe("programKey()", () => {
  const key = (files: Readonly<Record<string, string>>, platform = "linux-x64") =>
    programKey("driver", new Map(Object.entries(files)), platform);
  const sources = { "main.go": "package main", "go.mod": "module driver" };

  test("is the same for the same sources, in any order", () => {
    expect(key(sources)).toMatch(/^driver-linux-x64-[0-9a-f]{12}$/);
    expect(key({ "go.mod": "module driver", "main.go": "package main" })).toBe(key(sources));
  });

  test.for([
    { what: "a source", files: { ...sources, "main.go": "package main // edited" }, platform: "linux-x64" },
    {
      what: "a file's name",
      files: { "main2.go": "package main", "go.mod": "module driver" },
      platform: "linux-x64",
    },
    {
      what: "the boundary between two files",
      files: { "main.go": "package mai", "ngo.mod": "module driver" },
      platform: "linux-x64",
    },
    { what: "the platform", files: sources, platform: "darwin-arm64" },
  ])("changes with $what", ({ files, platform }) => {
    expect(key(files, platform)).not.toBe(key(sources));
  });
});
