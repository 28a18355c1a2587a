import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { eventually } from "../../../test/cluster/eventually.ts";
import { metricsWithoutReleases } from "../../../test/documented-metrics.ts";
import { gitOnHost, leaderOf, OPERATOR, operatorRequests, podsOf } from "../operator.ts";
import type { Stack } from "../stack.ts";

/** Tests the information for an on-call engineer: describe, events, metrics, git, the audit log. */
export function observabilityTests(stack: () => Stack): void {
  test("kubectl describe shows conditions, the commit, and manual changes", async () => {
    const { kubectl } = stack();
    await kubectl("scale deployment example-memcached-deployment --replicas=1");
    await describeUntil("memcached example-memcached", /Normal\s+Restored\s.*fairlead/);
    await describeUntil("memcached example-memcached", /Message:\s+Commit [0-9a-f]{40}\n/);
    // The resource was Ready before, and is Ready again after the pods have restarted.
    for (const type of ["Applied", "Published", "Healthy", "Ready"]) {
      const isTrue = new RegExp(`Status:\\s+True\n\\s+Type:\\s+${type}\n`);
      await describeUntil("memcached example-memcached", isTrue);
    }
  });

  test("an image that cannot be pulled causes a Warning at once with this reason", async () => {
    const spec = { size: 1, image: "nobody.invalid/nothing:1" };
    const broken = {
      apiVersion: "app.kubebuilder.io/v1",
      kind: "EasyService",
      metadata: { name: "broken" },
      spec,
    };
    await stack().kubectl("apply -f -", { input: JSON.stringify(broken) });
    const described = await describeUntil(
      "easyservice broken",
      /Warning\s.*fairlead.*its image cannot be pulled/,
    );
    expect(described).toMatch(/Status:\s+False\n\s+Type:\s+Ready\n/);
    await stack().kubectl("delete easyservice broken --wait=false");
  });

  async function readLeadersMetrics(): Promise<string> {
    const leader = await leaderOf(stack());
    const pods = await podsOf(stack(), "app.kubernetes.io/name=fairlead", OPERATOR.namespace);
    const address = pods.find(({ name }) => name === leader)?.address ?? "";
    return stack().run(["busybox", "wget", "-qO-", `http://${address}:8080/metrics`]);
  }

  async function describeUntil(what: string, pattern: RegExp): Promise<string> {
    return eventually(
      async () => {
        const text = await stack().kubectl(`describe ${what}`);
        expect(text).toMatch(pattern);
        return text;
      },
      { what: `kubectl describe ${what} shows ${pattern}`, intervalMs: 250 },
    );
  }

  test("the leader's metrics are those in the documentation", async () => {
    const page = await readFile(new URL("../../../docs/observability.md", import.meta.url), "utf8");
    const documented = metricsWithoutReleases(page);
    expect(documented.length).toBeGreaterThan(30);
    await eventually(
      async () => {
        const text = await readLeadersMetrics();
        const served = [...text.matchAll(/^# TYPE (\w+ \w+)$/gm)].map(([, name = ""]) => name);
        expect(documented.filter((name) => !served.includes(name))).toEqual([]);
        expect(text).toMatch(
          /^controller_runtime_reconcile_total\{controller="echos\.mmontes\.io",result="success"\} [1-9]/m,
        );
        expect(text).toMatch(/^leader_election_master_status\{name="fairlead"\} 1$/m);
        return true;
      },
      { what: "the leader serves the documented metrics", intervalMs: 500 },
    );
  });

  test("the applied manifests are on the branch, to which the operator pushes over https with its own certificate", async () => {
    const wanted = [
      ".fairlead.yaml",
      "default/easyservices.app.kubebuilder.io/easyservice-sample/deployment-easyservice-sample.yaml",
      "default/easyservices.app.kubebuilder.io/easyservice-sample/service-easyservice-sample.yaml",
      "default/echos.mmontes.io/hello-world/job-hello-world.yaml",
      "default/memcacheds.cache.example.com/example-memcached/deployment-example-memcached-deployment.yaml",
      "default/scheduledechos.mmontes.io/hello-world-scheduled/cronjob-hello-world-scheduled.yaml",
    ];
    const readFiles = () => gitOnHost(stack(), ["ls-tree", "-r", "--name-only", "main"]);
    await eventually(async () => expect((await readFiles()).trim().split("\n").toSorted()).toEqual(wanted), {
      what: "the commits are on the branch, and deleted files are removed",
    });
    expect(await gitOnHost(stack(), ["log", "--format=%(trailers:key=Fairlead-Resource)", "main"])).toContain(
      "Echo default/hello-world generation 1",
    );
    const published = await stack().kubectl([
      ...["get", "memcached", "example-memcached", "-o"],
      "jsonpath={.status.conditions[?(@.type=='Published')].status}",
    ]);
    expect(published).toBe("True");
  });

  test("the operator's own token was sufficient: no request was forbidden", async () => {
    const decisions = Map.groupBy(
      await operatorRequests(stack()),
      ({ annotations }) => annotations?.["authorization.k8s.io/decision"],
    );
    expect(decisions.get("allow")?.length).toBeGreaterThan(10);
    const forbidden = decisions.get("forbid") ?? [];
    expect(forbidden.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
  });
}
