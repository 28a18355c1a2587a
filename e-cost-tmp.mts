import { App, Chart } from "cdk8s";
import { execFileSync } from "node:child_process";
import { WriteFences } from "/work/main/constructs/write-fences.ts";
import { kinds } from "/work/main/charts/bindings.ts";
import { loadClusterAccess } from "/work/main/operator/cluster/kube-config.ts";
import { ApiTransport } from "/work/main/operator/cluster/transport.ts";
import { systemClock } from "/work/main/operator/runtime/clock.ts";
const kubeconfig = "/tmp/fl/e-state/clusters/ecost/kubeconfig";
const clock = systemClock();
const access = await loadClusterAccess({ kubeconfig, env: {}, clock });
const transport = new ApiTransport(access, { clock, userAgent: "cost" });
const app = new App(); const chart = new Chart(app, "x");
new WriteFences(chart, "f", { name: "ecost", namespace: "default", ha: true, policies: { ownership: true, leadership: true }, kinds, releases: { kinds: [], watchAll: false, readSecrets: false, impersonate: true, serviceAccounts: [] } });
const objects = chart.toJson();
const plural = (k: string) => k === "ValidatingAdmissionPolicy" ? "validatingadmissionpolicies" : "validatingadmissionpolicybindings";
const set = async (objs: any[], on: boolean) => {
  for (const o of objs) {
    const path = `/apis/admissionregistration.k8s.io/v1/${plural(o.kind)}/${o.metadata.name}`;
    const r = on ? await transport.send({ method: "PATCH", path: `${path}?fieldManager=cost&force=true`, contentType: "application/apply-patch+yaml", body: JSON.stringify(o) }) : await transport.send({ method: "DELETE", path });
    if (r.status >= 300 && r.status !== 404) throw new Error(r.body);
  }
};
import { readFileSync, readdirSync } from "node:fs";
const pid = readdirSync("/proc").find((p) => { try { const c = readFileSync(`/proc/${p}/cmdline`, "utf8"); return c.includes("kube-apiserver\0") && c.includes("/tmp/fl/e-state/"); } catch { return false; } });
const cpu = () => { const f = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" "); return (Number(f[11]) + Number(f[12])) * 10; };
await transport.send({ method: "POST", path: "/apis/coordination.k8s.io/v1/namespaces/default/leases", body: JSON.stringify({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "ecost", namespace: "default" }, spec: { holderIdentity: "x" } }) });
const round = async () => {
  const N = 1500; let i = 0; const start = cpu();
  await Promise.all(Array.from({ length: 16 }, async () => { while (i < N) { const n = i++; const r = await transport.send({ method: "PATCH", path: `/api/v1/namespaces/default/configmaps/ecost-${n % 50}?fieldManager=cost&force=true`, contentType: "application/apply-patch+yaml", body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: `ecost-${n % 50}` }, data: { n: String(n) } }) }); if (r.status >= 300) throw new Error(r.body); } }));
  return Math.round((cpu() - start) * 1000 / N);
};
await round();

const byName = (t: string) => objects.filter((o) => o.metadata.name.endsWith(t));
const withSelector = structuredClone(objects);
for (const o of withSelector) if (o.kind === "ValidatingAdmissionPolicy") o.spec.matchConstraints.objectSelector = { matchExpressions: [{ key: "fairlead.dev/set", operator: "Exists" }] };
const variants: Record<string, any[]> = { none: [], leadership: byName("leadership"), both: objects, selector: withSelector };
const results: Record<string, number[]> = {};
for (let k = 0; k < 4; k++) for (const [name, objs] of Object.entries(variants)) {
  await set(objects, false); if (objs.length) await set(objs, true); await new Promise((r) => setTimeout(r, 3000));
  (results[name] ??= []).push(await round());
}
console.log(results);
await set(objects, false);
for (let n = 0; n < 50; n++) await transport.send({ method: "DELETE", path: `/api/v1/namespaces/default/configmaps/ecost-${n}` });
await transport.close();
