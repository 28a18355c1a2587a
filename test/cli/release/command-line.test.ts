import { expect, test } from "vitest";
import { commandLine, kubectlLine, operatorCommandLine } from "../../../cli/release/command-line.ts";
import { aRelease } from "./a-release.ts";

test("commandLine() returns a command that applies to the Release wherever it is pasted", () => {
  const release = aRelease({ name: "web", namespace: "shop" });
  expect(commandLine(["resume"], release, { env: {} })).toBe("fairlead resume web --namespace=shop");
  const flags = { kubeconfig: "/tmp/a b", context: "prod", env: { npm_command: "exec" } };
  expect(commandLine(["rollback", "--unpin"], release, flags)).toBe(
    "npx fairlead rollback web --unpin --namespace=shop '--kubeconfig=/tmp/a b' --context=prod",
  );
});

test("commandLine() contains no namespace for a cluster-scoped resource", () => {
  expect(commandLine(["why"], { metadata: { name: "web" } }, { env: {} })).toBe("fairlead why web");
});

test("operatorCommandLine() and kubectlLine() contain the caller's cluster options", () => {
  const flags = { kubeconfig: "/tmp/a b", context: "prod" };
  expect(operatorCommandLine(["logs"], { ...flags, env: {} })).toBe(
    "fairlead logs '--kubeconfig=/tmp/a b' --context=prod",
  );
  expect(kubectlLine(["edit", "podset", "web"], flags)).toBe(
    "kubectl edit podset web '--kubeconfig=/tmp/a b' --context=prod",
  );
  expect(kubectlLine(["get", "pods"], {})).toBe("kubectl get pods");
});
