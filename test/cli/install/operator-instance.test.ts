import { describe, expect, test } from "vitest";
import { InstallClient } from "../../../cli/install/install-client.ts";
import { chooseInstance, isInUse } from "../../../cli/install/operator-instance.ts";
import type { ApiRequest } from "../../../operator/cluster/transport.ts";

const installation = { name: "fairlead", namespace: "ops" };

function aPod(name: string, minute: number, more: object = {}) {
  const creationTimestamp = `2026-11-22T20:0${minute}:00Z`;
  const args = [
    "run",
    "--kinds=none",
    "--zone-sockets=/run/zones",
    "--metrics-bind-address=0",
    "--workers=3",
  ];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "ops", uid: `uid-${name}`, creationTimestamp, ...more },
    spec: {
      containers: [
        { name: "sandbox", args: ["zone"] },
        { name: "operator", args },
      ],
    },
  };
}

/** An API server with a Deployment, these pods, and tokens that contain their purpose. */
function aServer(pods: readonly object[], isInstalled = true) {
  const send = async ({ method, path, body = "" }: ApiRequest) => {
    const answer = (status: number, content: object) => ({
      status,
      body: JSON.stringify(content),
      retryAfterMs: undefined,
    });
    if (method === "POST") return answer(201, { status: { token: `${path} ${body}` } });
    if (path.startsWith("/api/v1/pods")) return answer(200, { items: pods, metadata: {} });
    if (isInstalled) return answer(200, { kind: "Deployment", metadata: installation });
    return answer(404, { kind: "Status", code: 404, details: { kind: "deployments" } });
  };
  return new InstallClient({ send });
}

const pods = [
  aPod("old", 1),
  aPod("new", 3),
  aPod("leaving", 4, { deletionTimestamp: "2026-11-22T20:05:00Z" }),
  aPod("elsewhere", 5, { namespace: "other" }),
];
const deadlineMs = performance.now() + 10_000;

describe("chooseInstance()", () => {
  test("selects the newest pod that is not terminating, its options without those for pods, and a token for it", async () => {
    const { pod, args, token } = await chooseInstance(aServer(pods), installation, { deadlineMs });
    expect(pod.metadata.name).toBe("new");
    expect(args).toEqual(["--kinds=none", "--workers=3"]);
    expect(token).toMatch(/^\/api\/v1\/namespaces\/ops\/serviceaccounts\/fairlead\/token /);
    expect(token).toContain('"boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"new","uid":"uid-new"}');
  });

  test("reports that there is no installation, or that it has no pod", async () => {
    await expect(chooseInstance(aServer([], false), installation, { deadlineMs })).rejects.toThrow(
      'Cannot run the operator: there is no installation "fairlead" in namespace "ops"; npx fairlead install creates one',
    );
    await expect(chooseInstance(aServer([]), installation, { deadlineMs: 0 })).rejects.toThrow(
      "Waiting for a pod of Deployment ops/fairlead",
    );
  });
});

test("isInUse() distinguishes an existing pod from a replaced one", async () => {
  const server = aServer(pods);
  const { pod } = await chooseInstance(server, installation, { deadlineMs });
  expect(await isInUse(server, installation, pod)).toBe(true);
  expect(await isInUse(aServer(pods.slice(2)), installation, pod)).toBe(false);
});
