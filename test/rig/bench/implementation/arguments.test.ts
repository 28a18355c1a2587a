import { expect, test } from "vitest";
import { readArguments } from "../../../../rig/bench/implementation/arguments.ts";

test("readArguments() reads flags as the operator's options", () => {
  expect(readArguments(["--leader-elect", "--repository=file:///a=b", "--repository-path="])).toEqual({
    leaderElect: "true",
    repository: "file:///a=b",
    repositoryPath: "",
  });
});

test.for(["leader-elect", "-k", "--", "--=x"])("readArguments() refuses %s", (word) => {
  expect(() => readArguments([word])).toThrow(word);
});
