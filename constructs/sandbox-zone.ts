import { restrictedContainer } from "./pod-defaults.ts";

/** Path of the sockets of zones, with a folder for each zone. */
export const ZONE_SOCKETS_FOLDER = "/run/fairlead/zones";

export interface SandboxZoneProps {
  readonly image: string;
  readonly imagePullPolicy?: string | undefined;
  readonly resources: object;
  readonly logLevel: string;
}

/** A separate user id: no file and no process of the operator belongs to it. The group is the pod's, for the socket. */
const SANDBOX_USER = 65_533;
/**
 * The volume for sockets that only the operator and this zone mount. In memory its size is a hard limit; on disk the
 * kubelet would evict the pod, including the operator, if the zone writes more.
 */
export const sandboxSockets = {
  name: "sandbox-sockets",
  mountPath: `${ZONE_SOCKETS_FOLDER}/sandbox`,
  readOnly: false,
  source: { emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
} as const;

/**
 * The container of the sandbox zone, in the operator's pod: it renders the content of git repositories. It has no token,
 * no Secret and no clone, and writes nothing but its sockets.
 */
export function sandboxZoneContainer(props: SandboxZoneProps): object {
  const { image, imagePullPolicy, resources, logLevel } = props;
  const { name, mountPath } = sandboxSockets;
  return {
    name: "sandbox",
    image,
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    args: ["zone", "sandbox", `--sockets=${mountPath}`, `--log-level=${logLevel}`],
    resources,
    securityContext: { ...restrictedContainer, runAsUser: SANDBOX_USER },
    volumeMounts: [{ name, mountPath }],
  };
}
