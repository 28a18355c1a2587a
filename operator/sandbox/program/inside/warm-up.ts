// A program of the operator that runs before all others: V8 compiles the functions that it uses, and they become part of
// the libraries' code cache.
import { type App, Chart } from "cdk8s";
import * as plus from "cdk8s-plus-27";

export default (app: App): void => {
  const chart = new Chart(app, "warm-up", { labels: { app: "warm-up" } });
  const settings = new plus.ConfigMap(chart, "settings", { data: { key: "value" } });
  const deployment = new plus.Deployment(chart, "web", {
    replicas: 1,
    containers: [{ image: "registry.example.dev/web:1", portNumber: 8080, envVariables: {} }],
  });
  deployment.exposeViaService({ ports: [{ port: 80, targetPort: 8080 }] }).node.addDependency(settings);
};
