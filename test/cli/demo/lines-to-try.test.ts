import { expect, test } from "vitest";
import { linesToTry } from "../../../cli/demo/lines-to-try.ts";

const place = {
  kubeconfig: "/some/a/kubeconfig",
  context: undefined,
  kubectl: "kubectl",
  repository: "/some/a/r.git",
  workTree: "/some/a/shop",
  approves: true,
};

test("linesToTry() returns commands that can be copied unchanged", () => {
  expect(linesToTry(place).slice(1)).toEqual([
    "export KUBECONFIG=/some/a/kubeconfig",
    "npx fairlead approve default/shop prod-eu",
    "npx fairlead pipeline default/shop",
    "cd /some/a/shop",
    "sed -i.bak s/Welcome/Ahoy/ web/main.ts custom/echo.yaml && git commit -qam 'Say Ahoy' && git push -q",
    "kubectl -n default get configmap/shop job/shop-greeting -o yaml | grep Ahoy",
    "git revert --no-edit HEAD && git push -q",
    "kubectl -n default scale deployment shop --replicas=5",
    "kubectl -n default delete service shop",
    `kubectl -n default patch echo hello-world --type=merge -p '{"spec":{"message":"Ahoy"}}'`,
    "git -C /some/a/r.git log --stat",
  ]);
});

test("linesToTry() quotes paths, and names a context; without a kubeconfig kubectl uses its default", () => {
  const lines = linesToTry({
    ...place,
    kubeconfig: undefined,
    context: "my cluster",
    kubectl: "/Users/Zoë's/Application Support/kubectl",
    workTree: "/tmp/a b",
    approves: false,
  });
  expect(lines.join("\n")).not.toContain("KUBECONFIG");
  expect(lines[1]).toBe("cd '/tmp/a b'");
  expect(lines).toContain(
    `'/Users/Zoë'\\''s/Application Support/kubectl' --context='my cluster' -n default delete service shop`,
  );
});
