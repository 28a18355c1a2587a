import { KubeConfig } from "@kubernetes/client-node";
import * as https from "node:https";
import { parseAllDocuments } from "yaml";
import { readFileSync } from "node:fs";
import { findDrift } from "./operator/core/covers.ts";
const kc = new KubeConfig(); kc.loadFromFile(process.argv[2]!);
const server = kc.getCurrentCluster()!.server;
const opts: any = {}; await kc.applyToHTTPSOptions(opts);
const call = (method: string, path: string, body?: any, type = "application/apply-patch+yaml") => new Promise<any>((res, rej) => { const r = https.request(server + path, { ...opts, method, headers: { ...opts.headers, "content-type": type } }, (r) => { let b=""; r.on("data",(d)=>b+=d); r.on("end",()=>res({ status: r.statusCode, body: JSON.parse(b) })); }); r.on("error", rej); if (body) r.write(JSON.stringify(body)); r.end(); });
const plurals: Record<string,string> = { NetworkPolicy: "networkpolicies", Ingress: "ingresses", PodDisruptionBudget: "poddisruptionbudgets", PriorityClass: "priorityclasses", ValidatingAdmissionPolicy: "validatingadmissionpolicies" };
const clusterScoped = new Set(["Namespace","ClusterRole","ClusterRoleBinding","CustomResourceDefinition","ValidatingAdmissionPolicy","ValidatingAdmissionPolicyBinding","PriorityClass","PersistentVolume","ValidatingWebhookConfiguration"]);
for (const doc of parseAllDocuments(readFileSync(process.argv[3]!,"utf8"))) {
  const o = doc.toJS(); if (!o) continue;
  const base = o.apiVersion.includes("/") ? `/apis/${o.apiVersion}` : `/api/${o.apiVersion}`;
  const plural = plurals[o.kind] ?? o.kind.toLowerCase() + "s";
  const ns = clusterScoped.has(o.kind) ? "" : "/namespaces/default";
  if (ns) o.metadata.namespace = "default";
  const path = `${base}${ns}/${plural}/${o.metadata.name}?fieldManager=fairlead&force=true&dryRun=All`;
  const t = process.hrtime.bigint();
  const { status, body } = await call("PATCH", path, o);
  if (status >= 300) { console.log(o.kind, status, body.message?.slice(0, 300)); continue; }
  console.log(o.kind, o.metadata.name, "drift:", findDrift(o, body) ?? "none");
}
