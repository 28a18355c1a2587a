import { expect, test } from "vitest";
import { InstallClient } from "../../../cli/install/install-client.ts";
import { MutatingAdmissionPolicy, Pod } from "../../../crds/core-kinds.ts";
import type { ApiRequest } from "../../../operator/cluster/transport.ts";

function aClient(answers: Readonly<Record<string, readonly [status: number, body: object]>>) {
  const send = async ({ path }: ApiRequest) => {
    const [status, body] = answers[path] ?? [404, { kind: "Status", code: 404 }];
    return { status, body: JSON.stringify(body), retryAfterMs: undefined };
  };
  return new InstallClient({ send });
}

test("InstallClient.serves() runs discovery for a kind in an exact version", async () => {
  const path = "/apis/admissionregistration.k8s.io/v1";
  const resources = (...names: readonly string[]) => ({ resources: names.map((name) => ({ name })) });
  const newer = aClient({ [path]: [200, resources("mutatingadmissionpolicies", "others")] });
  const older = aClient({ [path]: [200, resources("validatingadmissionpolicies")] });
  expect(await newer.serves(MutatingAdmissionPolicy)).toBe(true);
  expect(await older.serves(MutatingAdmissionPolicy)).toBe(false);
  expect(await aClient({}).serves(MutatingAdmissionPolicy)).toBe(false);
  expect(await aClient({ "/api/v1": [200, resources("pods")] }).serves(Pod)).toBe(true);
  const down = aClient({ [path]: [503, { kind: "Status", code: 503, message: "etcd is down" }] });
  await expect(down.serves(MutatingAdmissionPolicy)).rejects.toThrow(/etcd is down/);
});
