import { readFileSync } from "node:fs";
import { shapeOf } from "./operator/core/kind-shapes.ts";
const S = JSON.parse(readFileSync("/tmp/fl-core-schemas.json","utf8"));
const kinds: [string,string,string][] = [["","Pod","v1"],["","Service","v1"],["","ServiceAccount","v1"],["","PersistentVolumeClaim","v1"],["","PersistentVolume","v1"],["","ResourceQuota","v1"],["","LimitRange","v1"],["","ConfigMap","v1"],["","Secret","v1"],["","Namespace","v1"],["apps","Deployment","v1"],["apps","ReplicaSet","v1"],["apps","StatefulSet","v1"],["apps","DaemonSet","v1"],["batch","Job","v1"],["batch","CronJob","v1"],["autoscaling","HorizontalPodAutoscaler","v2"],["policy","PodDisruptionBudget","v1"],["networking.k8s.io","Ingress","v1"],["networking.k8s.io","NetworkPolicy","v1"],["rbac.authorization.k8s.io","Role","v1"],["rbac.authorization.k8s.io","ClusterRole","v1"],["rbac.authorization.k8s.io","RoleBinding","v1"],["rbac.authorization.k8s.io","ClusterRoleBinding","v1"],["admissionregistration.k8s.io","ValidatingAdmissionPolicy","v1"],["admissionregistration.k8s.io","ValidatingAdmissionPolicyBinding","v1"],["admissionregistration.k8s.io","ValidatingWebhookConfiguration","v1"],["admissionregistration.k8s.io","MutatingWebhookConfiguration","v1"],["apiextensions.k8s.io","CustomResourceDefinition","v1"]];
const deref = (s: any): any => { let r = s; const extra = {...s}; while (true) { const ref = r.$ref ?? (r.allOf?.length===1 ? r.allOf[0].$ref : undefined); if (!ref) break; const n = ref.split("/").pop(); const next = S[n]; r = {...next, __name: n}; } const {allOf, $ref, ...rest} = extra; return {...r, ...(rest["x-kubernetes-list-type"] && {"x-kubernetes-list-type":rest["x-kubernetes-list-type"]}), ...(rest["x-kubernetes-list-map-keys"]&&{"x-kubernetes-list-map-keys":rest["x-kubernetes-list-map-keys"]}), ...(rest["x-kubernetes-map-type"]&&{"x-kubernetes-map-type":rest["x-kubernetes-map-type"]}), default: rest.default ?? r.default}; };
const seen = new Set<string>();
const say = (p: string, m: string) => { const line = `${p}: ${m}`; if (!seen.has(line)) { seen.add(line); console.log(line); } };
function walk(schema: any, shape: any, path: string, depth: number, stack: string[], inAtomic = false) {
  const s = deref(schema);
  if (s.__name && stack.includes(s.__name)) return;
  const st = s.__name ? [...stack, s.__name] : stack;
  if (depth > 25) return;
  if (s.__name?.endsWith("api.resource.Quantity")) { if (!shape.quantity) say(path, "QUANTITY missing"); return; }
  if (shape.quantity) say(path, "shape says quantity, schema not");
  if (s.type === "array") {
    const lt = s["x-kubernetes-list-type"] ?? "atomic";
    const keys = s["x-kubernetes-list-map-keys"];
    if (lt === "map" && JSON.stringify(keys) !== JSON.stringify(shape.keys)) say(path, `MAP ${keys} shape=${shape.keys}`);
    if (lt === "set" && !shape.set) say(path, "SET missing");
    if (lt === "atomic" && (shape.keys || shape.set)) say(path, `schema atomic, shape ${shape.keys ?? "set"}`);
    walk(s.items, shape.each ?? {}, path + "[]", depth+1, st, inAtomic || lt === "atomic");
    return;
  }
  if (s["x-kubernetes-map-type"] === "atomic" && !shape.atomic && !inAtomic) say(path, `ATOMIC map missing ${s.__name?.split(".").pop() ?? ""}`);
  if (shape.atomic && s["x-kubernetes-map-type"] !== "atomic") say(path, "shape atomic, schema granular");
  const inA = inAtomic || s["x-kubernetes-map-type"] === "atomic";
  for (const n of Object.keys(shape.fields ?? {})) if (!s.properties?.[n]) say(path, `shape has unknown field ${n}`);
  if (s.properties) for (const [n, sub] of Object.entries<any>(s.properties)) {
    const d = deref(sub);
    if (inA && sub.default !== undefined && JSON.stringify(sub.default) !== "{}" && JSON.stringify(sub.default) !== '""' && sub.default !== 0 && sub.default!==false && !(shape.defaults && n in shape.defaults)) say(path, `default ${n}=${JSON.stringify(sub.default)} in atomic`);
    walk(sub, shape.fields?.[n] ?? {}, path + "." + n, depth+1, st, inA);
  }
  if (s.additionalProperties && typeof s.additionalProperties === "object") walk(s.additionalProperties, shape.each ?? {}, path + ".*", depth+1, st, inA);
}
for (const [g,k,v] of kinds) {
  const name = Object.keys(S).find((n) => (S[n]["x-kubernetes-group-version-kind"]??[]).some((x: any) => x.group===g && x.kind===k && x.version===v));
  if (!name) { console.log("no schema", g,k,v); continue; }
  const sh = shapeOf(g,k);
  const sc = S[name];
  for (const n of ["status","metadata"]) if (n==="status") delete sc.properties.status;
  walk({...sc}, {...sh, fields: Object.fromEntries(Object.entries(sh.fields ?? {}).filter(([n])=>n!=="status"))}, k, 0, []);
}
