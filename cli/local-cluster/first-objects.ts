import { readServerCertificate, readToken } from "./credentials.ts";
import { type LoopbackResponse, sendLoopback } from "./loopback-request.ts";
import { waitUntil } from "./wait.ts";

export interface FirstObjectsInput {
  readonly runDirectory: string;
  readonly server: string;
  readonly nodes: number;
}

/**
 * Creates the objects of every cluster: its simulated nodes and the permissions of the user `driver`. Existing objects
 * stay.
 */
export async function createFirstObjects({ runDirectory, server, nodes }: FirstObjectsInput): Promise<void> {
  const send = await connect(runDirectory, server);
  await waitUntil(async () => (await send("/api/v1/namespaces/default")).status === 200, {
    what: 'namespace "default"',
    timeoutMs: 30_000,
  });
  await create(send, "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", driverBinding());
  for (let index = 1; index <= nodes; index += 1) await create(send, "/api/v1/nodes", nodeOf(index));
}

/** Waits until this many nodes are Ready. */
export async function untilNodesReady({ runDirectory, server, nodes }: FirstObjectsInput): Promise<void> {
  const send = await connect(runDirectory, server);
  await waitUntil(async () => countReadyNodes((await send("/api/v1/nodes")).text) >= nodes, {
    what: `${nodes} nodes to be Ready`,
    timeoutMs: 60_000,
  });
}

interface NodeList {
  readonly items?: readonly { readonly status?: { readonly conditions?: readonly Condition[] } }[];
}
interface Condition {
  readonly type: string;
  readonly status: string;
}

function countReadyNodes(text: string): number {
  const { items = [] } = JSON.parse(text) as NodeList;
  const isReady = ({ type, status }: Condition) => type === "Ready" && status === "True";
  return items.filter(({ status }) => status?.conditions?.some(isReady)).length;
}

/** Timeout for a server that has just started on a busy machine. */
const answerWithinMs = 60_000;

type Send = (path: string, body?: object) => Promise<LoopbackResponse>;

async function connect(runDirectory: string, server: string): Promise<Send> {
  const certificate = await readServerCertificate(runDirectory);
  const token = await readToken(runDirectory, "admin");
  return (path, body) => {
    const write = body === undefined ? {} : { method: "POST" as const, body };
    return sendLoopback(`${server}${path}`, { certificate, token, timeoutMs: answerWithinMs, ...write });
  };
}

async function create(send: Send, path: string, body: object): Promise<void> {
  const { status, text } = await send(path, body);
  if (status !== 201 && status !== 409) throw new Error(`Cannot create at "${path}": ${status} ${text}`);
}

/** All permissions, without the exemption from priority and fairness that `system:masters` has. */
function driverBinding(): object {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "fairlead-drivers" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "fairlead-drivers" }],
  };
}

function nodeOf(index: number): object {
  const name = `node-${index}`;
  const labels = {
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
    "topology.kubernetes.io/zone": `zone-${index}`,
  };
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
}
