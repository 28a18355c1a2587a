import { type App, Chart } from "cdk8s";
import { Pipeline } from "fairlead/delivery";
import type * as web from "../web/main.ts";

/** Inputs from the Release. */
interface Inputs {
  /** The repository with this program and everything that it delivers. */
  readonly url: string;
  readonly namespace: string;
}

/** Delivers the shop to dev and staging automatically, and to both prod stages after an approval. */
export default function delivery(app: App, { url, namespace }: Inputs): void {
  const chart = new Chart(app, "delivery");
  const shop = new Pipeline(chart, "shop", { name: "shop", namespace, source: { url, path: "web" } });
  const path = "web";
  const image = "nginx:1.27";

  shop.addStage("dev").addRelease<typeof web>("web", { path, inputs: { replicas: 1, image } });

  shop
    .addStage("staging", { pass: { soak: "10s" }, onFailure: "RollBack" })
    .addRelease<typeof web>("web", { path, inputs: { replicas: 2, image } });

  // Prod gets what staging has proven, with more pods. Nothing else may differ.
  const differences = [{ kind: "Deployment", fields: ["spec.replicas"] }];
  const rules = { enter: { approvals: { count: 1 } }, differences };
  const prod = shop.addWave({ "prod-eu": rules, "prod-us": rules });
  for (const stage of Object.values(prod)) {
    stage.addRelease<typeof web>("web", { path, inputs: { replicas: 3, image } });
    stage.allowApprovals({ group: "shop-leads" });
  }
}
