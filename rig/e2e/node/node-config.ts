import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONTAINERD_SOCKET, NODE_NAME, network, type Plan, pathOf } from "./layout.ts";

/** An address without a registry: a pull of an image that was not imported fails at once, without a DNS query or a packet. */
const nowhere = "http://127.0.0.1:1";

/** Writes the configuration of kubelet, containerd and the bridge plugin. */
export function writeNodeConfig(plan: Plan): void {
  const { runDirectory } = plan;
  writeFileSync(pathOf(runDirectory, "kubeletConfig"), JSON.stringify(kubeletConfig(plan)));
  writeFileSync(pathOf(runDirectory, "containerdConfig"), containerdConfig(plan));
  writeFileSync(join(runDirectory, "resolv.conf"), "# No names: there is no DNS server.\n");
  const cni = pathOf(runDirectory, "cni");
  mkdirSync(cni);
  writeFileSync(join(cni, "10-bridge.conflist"), JSON.stringify(bridgeConfig()));
  const registry = join(pathOf(runDirectory, "registry"), "_default");
  mkdirSync(registry, { recursive: true });
  writeFileSync(join(registry, "hosts.toml"), `server = "${nowhere}"\n\n[host."${nowhere}"]\n`);
}

/** The arguments of the kubelet. Pure. */
export function kubeletArguments({ runDirectory }: Plan): string[] {
  return [
    `--config=${pathOf(runDirectory, "kubeletConfig")}`,
    `--kubeconfig=${pathOf(runDirectory, "nodeKubeconfig")}`,
    `--hostname-override=${NODE_NAME}`,
    `--node-ip=${network.address}`,
  ];
}

function kubeletConfig({ runDirectory }: Plan): object {
  return {
    apiVersion: "kubelet.config.k8s.io/v1beta1",
    kind: "KubeletConfiguration",
    address: network.address,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: false },
      x509: { clientCAFile: pathOf(runDirectory, "clientCertificate") },
    },
    authorization: { mode: "AlwaysAllow" },
    readOnlyPort: 0,
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    cgroupDriver: "cgroupfs",
    failCgroupV1: false,
    failSwapOn: false,
    // Root in a container may lack CAP_SYS_RESOURCE, so it cannot lower the score or raise the limits.
    oomScoreAdj: 0,
    maxOpenFiles: 20_000,
    makeIPTablesUtilChains: false,
    resolvConf: join(runDirectory, "resolv.conf"),
    volumePluginDir: join(runDirectory, "volume-plugins"),
    // Never delete images, because they cannot be pulled again. A full disk of the machine is not tested here.
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    evictionHard: { "memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%" },
  };
}

/** The configuration of containerd. A JSON string is also a TOML string. */
function containerdConfig({ runDirectory, debianRoot }: Plan): string {
  const text = (value: string) => JSON.stringify(value);
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return `version = 2
root = ${text(join(runDirectory, "containerd"))}
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.aufs", "io.containerd.tracing.processor.v1.otlp", "io.containerd.internal.v1.tracing"]

[grpc]
address = ${text(CONTAINERD_SOCKET)}

[${cri}]
sandbox_image = "localhost/pause:e2e"
# The -998 of a pause container needs CAP_SYS_RESOURCE.
restrict_oom_score_adj = true
disable_apparmor = true

[${cri}.cni]
bin_dir = ${text(join(debianRoot, "usr/lib/cni"))}
conf_dir = ${text(pathOf(runDirectory, "cni"))}

[${cri}.containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[${cri}.containerd.runtimes.runc.options]
BinaryName = ${text(join(debianRoot, "usr/sbin/runc"))}

[${cri}.registry]
config_path = ${text(pathOf(runDirectory, "registry"))}
`;
}

function bridgeConfig(): object {
  return {
    cniVersion: "0.4.0",
    name: "pods",
    plugins: [
      {
        type: "bridge",
        bridge: network.bridge,
        isGateway: true,
        ipMasq: false,
        ipam: {
          type: "host-local",
          ranges: [[{ subnet: network.subnet, gateway: network.address }]],
          routes: [{ dst: "0.0.0.0/0" }],
        },
      },
    ],
  };
}
