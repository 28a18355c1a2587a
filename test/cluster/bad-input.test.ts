import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { testCluster } from "./fixture.ts";
import { aFolder, type RunningOperator, type StartOperatorOptions, startOperator } from "./operator.ts";

/** The output of an ended operator: its log, with its errors, and its other lines. */
function outputOf({ log, output }: RunningOperator): string {
  return [...output, ...log.map((line) => JSON.stringify(line))].join("\n");
}

/** Starts an operator that cannot run, and returns its output. */
async function outputOfFailed(options: StartOperatorOptions): Promise<string> {
  const operator = await startOperator(options);
  expect(await operator.untilEnded()).toBe(1);
  return outputOf(operator);
}

/** The operator's kubeconfig, modified. */
async function aKubeconfig(edit: (text: string) => string): Promise<string> {
  const path = join(await aFolder(), "kubeconfig");
  writeFileSync(path, edit(readFileSync(testCluster().operatorKubeconfigPath, "utf8")));
  return path;
}

interface InvalidOptions extends Pick<StartOperatorOptions, "args" | "environment"> {
  readonly what: string;
  readonly says: RegExp;
}

describe("fairlead run ends with exit code 1 and a message, when", () => {
  const cases: readonly InvalidOptions[] = [
    {
      what: "an option is unknown",
      args: ["--bogus"],
      says: /unknown option '--bogus'/,
    },
    {
      what: "options have invalid values",
      args: ["--workers=none", "--lease-duration=soon", "--namespace=No_Name"],
      says: /--namespace: expected a namespace name[\s\S]*--workers: [\s\S]*--lease-duration: expected a duration such as 15s or 1m30s, got "soon"/,
    },
    {
      what: "options contradict each other",
      args: ["--lease-duration=5s"],
      says: /lease duration \(5s\) must be more than the renew deadline \(10s\)/,
    },
    {
      what: "the repository's scheme is not supported",
      args: ["--repository=ftp://example.dev/manifests"],
      says: /Cannot use the repository URL: \\?"ftp\\?" is not one of file, https and ssh/,
    },
    {
      what: "the repository's URL contains a password",
      args: ["--repository=https://me:hunter2@example.dev/manifests"],
      says: /^(?!.*hunter2)[\s\S]*it contains credentials; put them into files/,
    },
    {
      what: "the folder with the repository's credentials does not exist",
      args: ["--repository=https://example.dev/manifests", "--repository-credentials=/no/such/folder"],
      says: /Cannot use the credentials: [\s\S]*\/no\/such\/folder/,
    },
    {
      what: "its environment has an invalid value",
      environment: { FAIRLEAD_WORKERS: "many" },
      says: /FAIRLEAD_WORKERS: /,
    },
  ];
  for (const { what, says, ...options } of cases) {
    test(what, async () => {
      expect(await outputOfFailed(options)).toMatch(says);
    });
  }

  test("there is no kubeconfig", async () => {
    expect(await outputOfFailed({ kubeconfigPath: "/no/such/kubeconfig" })).toMatch(
      /Cannot read kubeconfig \\"\/no\/such\/kubeconfig\\": no such file/,
    );
  });

  test("the kubeconfig is invalid", async () => {
    const kubeconfigPath = await aKubeconfig(() => "clusters: {{");
    expect(await outputOfFailed({ kubeconfigPath })).toMatch(/Cannot (read|use) (the )?kubeconfig/);
  });

  test("the kubeconfig has no such context", async () => {
    expect(await outputOfFailed({ args: ["--context=nowhere"] })).toMatch(/context \\?"nowhere\\?"/);
  });

  test("a port is in use", async () => {
    const server = createServer();
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await outputOfFailed({ args: [`--health-probe-bind-address=${address}`] })).toContain(
      `Cannot listen on \\"${address}\\": another program listens there`,
    );
  });
});

test.for([
  {
    with: "without a repository",
    args: [],
    says: /Cannot (list|watch) \\"echos\\": the API server at https:\/\/127\.0\.0\.1:1 is unreachable/,
  },
  {
    with: "with a repository, in which the cluster has a name",
    args: ["--repository=file:///nobody/looks/there"],
    says: /https:\/\/127\.0\.0\.1:1 is unreachable.*Waiting for the uid of kube-system/,
  },
])(
  "an API server that does not respond is named in the log, and waited for, $with",
  async ({ args, says }) => {
    const kubeconfigPath = await aKubeconfig((text) => text.replace(/127\.0\.0\.1:\d+/, "127.0.0.1:1"));
    const operator = await startOperator({ kubeconfigPath, args });
    await expect.poll(() => outputOf(operator)).toMatch(says);
    expect(await operator.stop()).toBe(0);
  },
);
