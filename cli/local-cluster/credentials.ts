import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { runPath } from "./component-arguments.ts";

/** The users of a cluster. Only `admin` is exempt from priority and fairness: never measure with it. */
export const USERS = [
  { name: "admin", group: "system:masters", kubeconfig: "kubeconfig" },
  // Without permissions: tests of the operator bind exactly the RBAC of an installation.
  { name: "operator", group: "fairlead-operators", kubeconfig: "operatorKubeconfig" },
  { name: "driver", group: "fairlead-drivers", kubeconfig: "driverKubeconfig" },
] as const;

/** Logs every request with its user, to count the calls per resource. */
const AUDIT_POLICY = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived", "ResponseStarted"],
  rules: [{ level: "Metadata" }],
};

/** Writes the files that the API server reads at its start: key, tokens, audit policy. */
export async function writeServerFiles(runDirectory: string): Promise<void> {
  await mkdir(runPath(runDirectory, "certificates"), { recursive: true });
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  await writeSecret(runPath(runDirectory, "serviceAccountKey"), privateKey);
  const tokens = USERS.map(
    ({ name, group }) => `${randomBytes(24).toString("hex")},${name},${name},"${group}"\n`,
  );
  await writeSecret(runPath(runDirectory, "tokens"), tokens.join(""));
  await writeFile(runPath(runDirectory, "auditPolicy"), stringify(AUDIT_POLICY));
}

/** Reads the API server's self-signed certificate. */
export async function readServerCertificate(runDirectory: string): Promise<string> {
  return readFile(join(runPath(runDirectory, "certificates"), "apiserver.crt"), "utf8");
}

/** Reads the token of a user. */
export async function readToken(runDirectory: string, user: string): Promise<string> {
  const lines = (await readFile(runPath(runDirectory, "tokens"), "utf8")).split("\n");
  const token = lines.map((line) => line.split(",")).find(([, name]) => name === user)?.[0];
  if (token === undefined) throw new Error(`Cannot read the token of "${user}": there is no such user`);
  return token;
}

export interface WriteKubeconfigsInput {
  readonly runDirectory: string;
  readonly clusterName: string;
  readonly server: string;
}

/** Writes one kubeconfig per user. Call it when the API server has created its certificate. */
export async function writeKubeconfigs({
  runDirectory,
  clusterName,
  server,
}: WriteKubeconfigsInput): Promise<void> {
  const certificate = await readServerCertificate(runDirectory);
  for (const user of USERS) {
    const token = await readToken(runDirectory, user.name);
    const kubeconfig = kubeconfigOf({ clusterName, server, certificate, user: user.name, token });
    await writeSecret(runPath(runDirectory, user.kubeconfig), stringify(kubeconfig));
  }
}

export interface KubeconfigInput {
  readonly clusterName: string;
  readonly server: string;
  /** PEM. It is embedded, so that the file can be copied. */
  readonly certificate: string;
  readonly user: string;
  readonly token: string;
}

/** A kubeconfig with one context, `fairlead-<cluster name>`. Pure. */
export function kubeconfigOf({ clusterName, server, certificate, user, token }: KubeconfigInput): object {
  const name = `fairlead-${clusterName}`;
  const caData = Buffer.from(certificate).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "certificate-authority-data": caData } }],
    users: [{ name: user, user: { token } }],
    contexts: [{ name, context: { cluster: name, user } }],
    "current-context": name,
  };
}

async function writeSecret(path: string, content: string): Promise<void> {
  await writeFile(path, content, { mode: 0o600 });
}
