import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { kubeconfigOf, readToken, writeServerFiles } from "../../../cli/local-cluster/credentials.ts";

test("each user has a separate token in the file that only the owner can read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-credentials-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeServerFiles(folder);

  const lines = (await readFile(join(folder, "tokens.csv"), "utf8")).trimEnd().split("\n");
  const [admin, operator, driver] = await Promise.all(
    ["admin", "operator", "driver"].map((name) => readToken(folder, name)),
  );
  expect(lines).toEqual([
    `${admin},admin,admin,"system:masters"`,
    `${operator},operator,operator,"fairlead-operators"`,
    `${driver},driver,driver,"fairlead-drivers"`,
  ]);
  expect(new Set([admin, operator, driver]).size).toBe(3);
  for (const file of ["tokens.csv", "service-account.key"]) {
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  }
  await expect(readToken(folder, "nobody")).rejects.toThrow('Cannot read the token of "nobody"');
});

test("a kubeconfig contains the certificate, so that it can be copied", () => {
  const server = "https://127.0.0.1:3";
  expect(
    kubeconfigOf({ clusterName: "shop", server, certificate: "PEM", user: "admin", token: "t" }),
  ).toMatchObject({
    clusters: [{ name: "fairlead-shop", cluster: { server, "certificate-authority-data": "UEVN" } }],
    users: [{ name: "admin", user: { token: "t" } }],
    contexts: [{ name: "fairlead-shop", context: { cluster: "fairlead-shop", user: "admin" } }],
    "current-context": "fairlead-shop",
  });
});
