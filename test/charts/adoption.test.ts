import { describe, expect, test } from "vitest";
import { easyService, echo, memcached, podSet } from "../../charts/bindings.ts";
import { Deployment, Job } from "../../crds/core-kinds.ts";
import { aLiveObject } from "../fakes/objects.ts";
import { observe } from "../fakes/observed.ts";
import { madeBy, ourLabels } from "./made-by.ts";

// A change of a pod template replaces every pod. The objects of the original operators, as they sent them:
const memcachedPod = {
  containers: [
    {
      name: "memcached",
      image: "memcached:1.6.6",
      ports: [{ name: "memcached", containerPort: 11211 }],
      resources: { requests: { cpu: "100m", memory: "128Mi" } },
      livenessProbe: { tcpSocket: { port: 11211 }, initialDelaySeconds: 30, periodSeconds: 10 },
    },
  ],
};
const podSetPod = {
  containers: [
    {
      name: "podset",
      image: "busybox",
      command: ["sleep", "3600"],
      ports: [{ name: "podset", containerPort: 1234 }],
    },
  ],
};
const easyServicePod = {
  containers: [
    {
      name: "web",
      image: "nginx:1.7.9",
      imagePullPolicy: "IfNotPresent",
      resources: { limits: { cpu: "1" } },
      env: [{ name: "A", value: "1" }],
      ports: [{ containerPort: 80 }, { containerPort: 8443 }],
    },
  ],
};
const easySpec = {
  size: 2,
  image: "nginx:1.7.9",
  resources: { limits: { cpu: "1" } },
  envs: [{ name: "A", value: "1" }],
  ports: [
    { name: "http", port: 80, targetPort: 80 },
    { name: "https", port: 443, targetPort: 8443 },
  ],
};

const aDeployment = (name: string, spec: object, metadata = {}) =>
  aLiveObject({ kind: Deployment, name, ours: false, metadata, fields: { spec } });
const aSpec = (labels: object, pod: object) => ({
  replicas: 9,
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: pod },
});
type Made = { spec: { replicas: number; selector: object; template: { metadata: { labels: object } } } };

const originals = [
  {
    kind: memcached,
    spec: { size: 3 },
    name: "web-deployment",
    live: aSpec({ app: "memcached" }, memcachedPod),
  },
  {
    kind: podSet,
    spec: { size: 3 },
    name: "web",
    live: aSpec({ app: "podSet", podSet_cr: "web" }, podSetPod),
  },
  { kind: easyService, spec: easySpec, name: "web", live: aSpec({ app: "web" }, easyServicePod) },
].map((row) => ({ ...row, title: row.kind.definition.kind }));

describe("a Deployment of the original operator", () => {
  test.for(originals)(
    "keeps selector and pod template of a $title: no pod restarts",
    ({ kind, spec, name, live }) => {
      const [made] = madeBy(kind, { spec }, observe(aDeployment(name, live)));
      const { selector, template, replicas } = (made as Made).spec;
      expect({ selector, template }).toEqual({ selector: live.selector, template: live.template });
      // Fields that may change without a restart follow the resource.
      expect(replicas).toBe(spec.size);
      expect(made).toMatchObject({ metadata: { labels: ourLabels(kind, "web") } });
    },
  );

  test.for(originals)(
    "keeps labels that users added to the pods of a $title",
    ({ kind, spec, name, live }) => {
      const labels = {
        ...live.template.metadata.labels,
        team: "a",
        "app.kubernetes.io/name": "theirs",
        "app.kubernetes.io/instance": "web",
      };
      const found = { ...live, template: { ...live.template, metadata: { labels } } };
      const [made] = madeBy(kind, { spec }, observe(aDeployment(name, found)));
      expect((made as Made).spec.template.metadata.labels).toEqual(labels);
    },
  );

  test.for(originals)(
    "has no effect on the next one while it is being deleted ($title)",
    ({ kind, spec, name, live }) => {
      const leaving = aDeployment(name, live, { deletionTimestamp: "2026-01-01T00:00:00Z" });
      expect(madeBy(kind, { spec }, observe(leaving))).toEqual(madeBy(kind, { spec }));
    },
  );
});

describe("a Deployment of this operator", () => {
  test.for(originals)("stays as it was created ($title)", ({ kind, spec, name }) => {
    const [fresh] = madeBy(kind, { spec });
    const live = aDeployment(name, (fresh as Made).spec);
    expect(madeBy(kind, { spec }, observe(live))).toEqual(madeBy(kind, { spec }));
  });

  test.for(originals)("gets a label back that a user edited or removed ($title)", ({ kind, spec, name }) => {
    const [fresh] = madeBy(kind, { spec });
    const { template, ...rest } = (fresh as Made).spec;
    const edits = [{ "app.kubernetes.io/name": "mine" }, { "app.kubernetes.io/managed-by": undefined }];
    for (const edit of edits) {
      const labels = { ...template.metadata.labels, ...edit };
      const live = aDeployment(name, { ...rest, template: { ...template, metadata: { labels } } });
      const [made] = madeBy(kind, { spec }, observe(live));
      expect((made as Made).spec.template.metadata.labels).toEqual(template.metadata.labels);
    }
  });

  test.for(originals)("loses manual edits of its pods ($title)", ({ kind, spec, name }) => {
    const [fresh] = madeBy(kind, { spec });
    const { template, ...rest } = (fresh as Made).spec;
    const live = aDeployment(name, {
      ...rest,
      template: { ...template, spec: { containers: [{ image: "evil" }] } },
    });
    expect(madeBy(kind, { spec }, observe(live))).toEqual(madeBy(kind, { spec }));
  });
});

test("a Job of the original operator keeps its template, generated name and namespace included", () => {
  const template = {
    metadata: { generateName: "web-", namespace: "shop" },
    spec: {
      restartPolicy: "Never",
      containers: [
        { name: "web", image: "busybox:1.33.1", imagePullPolicy: "IfNotPresent", command: ["echo", "hi"] },
      ],
    },
  };
  const live = aLiveObject({ kind: Job, name: "web", ours: false, fields: { spec: { template } } });
  expect(madeBy(echo, { spec: { message: "hi" } }, observe(live))).toMatchObject([{ spec: { template } }]);
});
