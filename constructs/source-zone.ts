import { restrictedContainer } from "./pod-defaults.ts";
import { ZONE_SOCKETS_FOLDER } from "./sandbox-zone.ts";

export interface SourceZoneProps {
  readonly image: string;
  readonly imagePullPolicy?: string | undefined;
  readonly resources: object;
  readonly logLevel: string;
  /** Whether polling is disabled if the kernel lacks isolation of git. */
  readonly requireSandbox: boolean;
  /** Maximum size of all clones of repositories. */
  readonly cacheSize: string | number;
  /** A Secret that is mounted as the folder of hooks; undefined: no hooks are served. */
  readonly hookSecret: string | undefined;
}

/** Path of the clones of the repositories of Releases. */
const CACHE_FOLDER = "/var/cache/fairlead";
/** Mount path of a Secret with the keys of hooks. */
const HOOK_SECRETS_FOLDER = "/etc/fairlead/hooks";
/** Address for hooks. */
export const HOOKS_PORT = 8082;

/**
 * A separate user id: no file and no process of the operator belongs to it. The image defines its name, because ssh
 * requires one.
 */
export const SOURCE_USER = 65_531;
/** The volume that only the operator and this zone mount. It contains sockets, which take no space. */
export const sourceSockets = {
  name: "source-sockets",
  mountPath: `${ZONE_SOCKETS_FOLDER}/source`,
  readOnly: false,
  source: { emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
} as const;

/** The volumes that no other container mounts. */
function ownVolumesOf({ cacheSize, hookSecret }: Pick<SourceZoneProps, "cacheSize" | "hookSecret">) {
  const cache = { emptyDir: { sizeLimit: cacheSize } };
  const hooks = { secret: { secretName: hookSecret, defaultMode: 0o440 } };
  return [
    { name: "releases", mountPath: CACHE_FOLDER, readOnly: false, source: cache },
    ...(hookSecret === undefined
      ? []
      : [{ name: "hooks", mountPath: HOOK_SECRETS_FOLDER, readOnly: true, source: hooks }]),
  ];
}

/** The volumes of the pod that only the zone mounts. */
export function sourceZoneVolumes(props: Pick<SourceZoneProps, "cacheSize" | "hookSecret">): object[] {
  return ownVolumesOf(props).map(({ name, source }) => ({ name, ...source }));
}

/**
 * The container of the source zone, in the operator's pod: it polls and fetches git repositories, checks signatures and
 * serves hooks. It has no token; the operator sends it the credentials of the Releases that it follows.
 */
export function sourceZoneContainer(props: SourceZoneProps): object {
  const { image, imagePullPolicy, resources, logLevel, cacheSize, hookSecret, requireSandbox } = props;
  const hooks = hookSecret !== undefined;
  return {
    name: "source",
    image,
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    args: [
      "zone",
      "source",
      `--sockets=${sourceSockets.mountPath}`,
      `--cache=${CACHE_FOLDER}`,
      `--cache-size=${cacheSize}`,
      ...(hooks ? [`--hook-bind-address=:${HOOKS_PORT}`, `--hook-secrets=${HOOK_SECRETS_FOLDER}`] : []),
      ...(requireSandbox ? ["--require-isolation"] : []),
      `--log-level=${logLevel}`,
    ],
    ...(hooks && { ports: [{ name: "hooks", containerPort: HOOKS_PORT }] }),
    resources,
    securityContext: { ...restrictedContainer, runAsUser: SOURCE_USER },
    volumeMounts: [sourceSockets, ...ownVolumesOf(props)].map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly && { readOnly }),
    })),
  };
}
