import { ApiObject, type App, Chart } from "cdk8s";

/** Inputs from the Release. */
interface Inputs {
  readonly replicas: number;
  readonly image: string;
}

const greeting = "Welcome to the shop";

/** A web server and the page that it shows. */
export default function shop(app: App, { replicas, image }: Inputs): void {
  const labels = { app: "shop" };
  const chart = new Chart(app, "shop", { labels });
  const metadata = { name: "shop" };

  const page = new ApiObject(chart, "page", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata,
    data: { "index.html": `${greeting}\n` },
  });

  const web = new ApiObject(chart, "web", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: "web",
              image,
              ports: [{ containerPort: 80 }],
              volumeMounts: [{ name: "page", mountPath: "/usr/share/nginx/html" }],
            },
          ],
          volumes: [{ name: "page", configMap: { name: page.name } }],
        },
      },
    },
  });

  new ApiObject(chart, "service", {
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: { selector: labels, ports: [{ port: 80 }] },
  });

  // The ConfigMap that it reads exists before it starts.
  web.addDependency(page);
}
