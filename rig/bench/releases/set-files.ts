/** The objects of one set: a Deployment without pods, a ServiceAccount, a Service and an Ingress. */
export const setKinds = ["deployments", "serviceaccounts", "services", "ingresses"] as const;

export const setName = (index: number): string => `set-${String(index).padStart(4, "0")}`;

/** Number of namespaces of the Releases. */
export const namespaceCount = 10;

export const namespaceOf = (index: number): string => `bench-${index % namespaceCount}`;

/** Files of a set's folder by name. Only the Deployment's image contains the version, so an edit changes one object. Pure. */
export function filesOf(index: number, version: string): Readonly<Record<string, string>> {
  const name = setName(index);
  return {
    "deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  replicas: 0
  selector:
    matchLabels:
      app: ${name}
  template:
    metadata:
      labels:
        app: ${name}
    spec:
      serviceAccountName: ${name}
      containers:
        - name: web
          image: ${imageOf(version)}
          ports:
            - containerPort: 8080
`,
    "service-account.yaml": `apiVersion: v1
kind: ServiceAccount
metadata:
  name: ${name}
`,
    "service.yaml": `apiVersion: v1
kind: Service
metadata:
  name: ${name}
spec:
  selector:
    app: ${name}
  ports:
    - port: 80
      targetPort: 8080
`,
    "ingress.yaml": `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: ${name}
spec:
  rules:
    - host: ${name}.example.dev
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: ${name}
                port:
                  number: 80
`,
  };
}

export const imageOf = (version: string): string => `registry.example.dev/web:${version}`;

/** A program that creates the ConfigMaps in its inputs. Pure. */
export function programOf(version: number): string {
  return `import { ApiObject, type App, Chart } from "cdk8s";

interface Inputs {
  readonly name: string;
  readonly note: string;
}

const version = ${version};

export default function program(app: App, { name, note }: Inputs): void {
  const chart = new Chart(app, name);
  for (const part of ["one", "two", "three"])
    new ApiObject(chart, part, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: \`\${name}-\${part}\` },
      data: { version: String(version), note },
    });
}
`;
}

export interface ReleaseOptions {
  readonly url: string;
  readonly name: string;
  readonly namespace: string;
  readonly path: string;
  readonly render: object;
}

/** A Release to apply. The interval is long, so that polls do not change the measurement. */
export function aRelease({ url, name, namespace, path, render }: ReleaseOptions): object {
  return {
    apiVersion: "fairlead.dev/v1alpha1",
    kind: "Release",
    metadata: { name, namespace },
    spec: { source: { url, path }, interval: "1h", render },
  };
}
