import { network, type Plan, pathOf } from "./layout.ts";

/**
 * The controllers of the local cluster, and more for real pods: their ServiceAccounts, the root certificate in them, and the pods
 * of removed nodes.
 */
const controllers = [
  "deployment-controller",
  "replicaset-controller",
  "statefulset-controller",
  "daemonset-controller",
  "job-controller",
  "cronjob-controller",
  "garbage-collector-controller",
  "namespace-controller",
  "ttl-after-finished-controller",
  "clusterrole-aggregation-controller",
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
  "pod-garbage-collector-controller",
  "endpointslice-controller",
  "disruption-controller",
];

const etcdUrl = "http://127.0.0.1:2379";
const peerUrl = "http://127.0.0.1:2380";

/** The control plane's programs with their arguments, in the order in which they start. Pure. */
export function controlPlane({ runDirectory }: Plan): readonly (readonly [name: string, args: string[]])[] {
  const key = pathOf(runDirectory, "serviceAccountKey");
  const certificates = pathOf(runDirectory, "certificates");
  const client = [
    `--kubeconfig=${pathOf(runDirectory, "kubeconfig")}`,
    "--leader-elect=false",
    "--bind-address=127.0.0.1",
    "--kube-api-qps=1000",
    "--kube-api-burst=2000",
  ];
  return [
    [
      "etcd",
      [
        `--data-dir=${runDirectory}/etcd`,
        `--listen-client-urls=${etcdUrl}`,
        `--advertise-client-urls=${etcdUrl}`,
        `--listen-peer-urls=${peerUrl}`,
        `--initial-advertise-peer-urls=${peerUrl}`,
        `--initial-cluster=default=${peerUrl}`,
        "--log-level=warn",
        "--unsafe-no-fsync",
      ],
    ],
    [
      "kube-apiserver",
      [
        `--etcd-servers=${etcdUrl}`,
        `--cert-dir=${certificates}`,
        // All addresses of a separate network: loopback, the bridge, and the Service.
        "--bind-address=0.0.0.0",
        `--advertise-address=${network.address}`,
        "--secure-port=443",
        "--service-cluster-ip-range=10.0.0.0/16",
        "--allow-privileged=true",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        // No controller here would remove the not-ready taint.
        "--disable-admission-plugins=TaintNodesByCondition",
        "--service-account-issuer=https://kubernetes.default.svc",
        `--service-account-key-file=${key}`,
        `--service-account-signing-key-file=${key}`,
        `--token-auth-file=${pathOf(runDirectory, "tokens")}`,
        `--kubelet-client-certificate=${pathOf(runDirectory, "clientCertificate")}`,
        `--kubelet-client-key=${pathOf(runDirectory, "clientKey")}`,
        "--kubelet-preferred-address-types=InternalIP",
        "--endpoint-reconciler-type=none",
        `--audit-policy-file=${pathOf(runDirectory, "auditPolicy")}`,
        `--audit-log-path=${pathOf(runDirectory, "auditLog")}`,
      ],
    ],
    [
      "kube-controller-manager",
      [
        ...client,
        `--controllers=${controllers.join(",")}`,
        `--service-account-private-key-file=${key}`,
        `--root-ca-file=${certificates}/apiserver.crt`,
        "--use-service-account-credentials=false",
      ],
    ],
    ["kube-scheduler", client],
  ];
}
