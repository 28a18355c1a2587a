import { expect, test } from "vitest";
import { linesToTry } from "../../../cli/demo/lines-to-try.ts";

const place = {
  kubeconfig: "/some/a/kubeconfig",
  context: undefined,
  kubectl: "kubectl",
  repository: "/some/a/r.git",
};

test("linesToTry() gives commands that can be copied as they are", () => {
  expect(linesToTry(place).slice(1)).toEqual([
    "export KUBECONFIG=/some/a/kubeconfig",
    `kubectl -n default patch echo hello-world --type=merge -p '{"spec":{"message":"Ahoy"}}'`,
    "kubectl -n default delete deployment podset-sample",
    "git -C /some/a/r.git log --stat",
  ]);
});

test("linesToTry() quotes paths, and names a context; kubectl finds its own kubeconfig where none was given", () => {
  const lines = linesToTry({
    ...place,
    kubeconfig: undefined,
    context: "my cluster",
    kubectl: "/Users/Zoë's/Application Support/kubectl",
  });
  expect(lines.join("\n")).not.toContain("KUBECONFIG");
  expect(lines[2]).toBe(
    `'/Users/Zoë'\\''s/Application Support/kubectl' --context='my cluster' -n default delete deployment podset-sample`,
  );
});
