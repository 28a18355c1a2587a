import { expect, test } from "vitest";
import { commandLine } from "../../../cli/release/command-line.ts";
import { aRelease } from "./a-release.ts";

test("commandLine() gives a command that acts on the Release wherever it is pasted", () => {
  const release = aRelease({ name: "web", namespace: "shop" });
  expect(commandLine(["resume"], release, { env: {} })).toBe("fairlead resume web --namespace=shop");
  const flags = { kubeconfig: "/tmp/a b", context: "prod", env: { npm_command: "exec" } };
  expect(commandLine(["rollback", "--unpin"], release, flags)).toBe(
    "npx fairlead rollback web --unpin --namespace=shop '--kubeconfig=/tmp/a b' --context=prod",
  );
});
