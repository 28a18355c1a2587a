import { expect, test } from "vitest";
import { commandLine, kubectlLine, operatorCommandLine } from "../../../cli/release/command-line.ts";
import { aRelease } from "./a-release.ts";

test("commandLine() gives a command that acts on the Release wherever it is pasted", () => {
  const release = aRelease({ name: "web", namespace: "shop" });
  expect(commandLine(["resume"], release, { env: {} })).toBe("fairlead resume web --namespace=shop");
  const flags = { kubeconfig: "/tmp/a b", context: "prod", env: { npm_command: "exec" } };
  expect(commandLine(["rollback", "--unpin"], release, flags)).toBe(
    "npx fairlead rollback web --unpin --namespace=shop '--kubeconfig=/tmp/a b' --context=prod",
  );
});

test("commandLine() names no namespace for a resource that has none", () => {
  expect(commandLine(["why"], { metadata: { name: "web" } }, { env: {} })).toBe("fairlead why web");
});

test("operatorCommandLine() and kubectlLine() name the cluster that the caller named", () => {
  const flags = { kubeconfig: "/tmp/a b", context: "prod" };
  expect(operatorCommandLine(["logs"], { ...flags, env: {} })).toBe(
    "fairlead logs '--kubeconfig=/tmp/a b' --context=prod",
  );
  expect(kubectlLine(["edit", "podset", "web"], flags)).toBe(
    "kubectl edit podset web '--kubeconfig=/tmp/a b' --context=prod",
  );
  expect(kubectlLine(["get", "pods"], {})).toBe("kubectl get pods");
});
