import { execFileSync } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kubeconfigOf } from "../../../cli/local-cluster/credentials.ts";
import { selfSignedCertificate } from "../../../test/fakes/self-signed-certificate.ts";
import { NODE_NAME, network, type Plan, pathOf } from "./layout.ts";

/** Users with a token. Pods use those of their ServiceAccounts. */
const users = [
  { name: "admin", group: "system:masters", kubeconfig: "kubeconfig" },
  { name: `system:node:${NODE_NAME}`, group: "system:nodes", kubeconfig: "nodeKubeconfig" },
] as const;

const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived", "ResponseStarted"],
  rules: [{ level: "Metadata" }],
};

/** Writes keys, tokens and certificates, and creates the git repositories. */
export function writeServerFiles({ runDirectory }: Pick<Plan, "runDirectory">): void {
  const write = (file: Parameters<typeof pathOf>[1], content: string) =>
    writeFileSync(pathOf(runDirectory, file), content, { mode: 0o600 });
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  mkdirSync(pathOf(runDirectory, "certificates"));
  write("serviceAccountKey", privateKey);
  write(
    "tokens",
    users
      .map(({ name, group }) => `${randomBytes(24).toString("hex")},${name},${name},"${group}"\n`)
      .join(""),
  );
  write("auditPolicy", JSON.stringify(auditPolicy));
  // The API server uses this certificate for connections to the kubelet, which trusts no other.
  const client = selfSignedCertificate();
  write("clientCertificate", client.certificate);
  write("clientKey", client.key);

  const git = selfSignedCertificate(network.address);
  write("gitCertificate", git.certificate);
  write("gitKey", git.key);
  write("gitPassword", randomBytes(18).toString("base64url"));
  for (const name of ["manifests.git", "moved.git"]) {
    const repository = join(pathOf(runDirectory, "gitRoot"), name);
    execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", repository]);
  }
}

/** Writes one kubeconfig per user. Call it after the API server has its certificate. */
export function writeKubeconfigs({ runDirectory }: Pick<Plan, "runDirectory">): void {
  const certificate = readFileSync(join(pathOf(runDirectory, "certificates"), "apiserver.crt"), "utf8");
  const lines = readFileSync(pathOf(runDirectory, "tokens"), "utf8").split("\n");
  for (const { name, kubeconfig } of users) {
    const token = lines.map((line) => line.split(",")).find(([, user]) => user === name)?.[0] ?? "";
    const content = kubeconfigOf({
      clusterName: "e2e",
      server: `https://${network.address}:443`,
      certificate,
      user: name,
      token,
    });
    writeFileSync(pathOf(runDirectory, kubeconfig), JSON.stringify(content), { mode: 0o600 });
  }
}
