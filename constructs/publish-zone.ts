import { restrictedContainer } from "./pod-defaults.ts";
import { ZONE_SOCKETS_FOLDER } from "./sandbox-zone.ts";

export interface PublishZoneProps {
  readonly image: string;
  readonly imagePullPolicy?: string | undefined;
  readonly resources: object;
  readonly logLevel: string;
  /** Whether publishing is disabled if the kernel lacks isolation of git. */
  readonly requireSandbox: boolean;
  /** URL of the repository for rendered manifests. */
  readonly repository: string;
  /** A Secret that is mounted as the folder of the repository's credentials; undefined: it needs none. */
  readonly credentialsSecret: string | undefined;
}

/** Path of the clones of the repository. */
const CACHE_FOLDER = "/var/cache/fairlead";
/** Mount path of a Secret with repository credentials. */
export const CREDENTIALS_FOLDER = "/etc/fairlead/repository";

/**
 * A separate user id: no file and no process of another container belongs to it. The image defines its name, because ssh
 * requires one.
 */
export const PUBLISH_USER = 65_529;
/** The volume that only the operator and this zone mount. It contains a socket, which takes no space. */
export const publishSockets = {
  name: "publish-sockets",
  mountPath: `${ZONE_SOCKETS_FOLDER}/publish`,
  readOnly: false,
  source: { emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
} as const;

/** The volumes that no other container mounts. */
function ownVolumesOf({ credentialsSecret }: Pick<PublishZoneProps, "credentialsSecret">) {
  const credentials = { secret: { secretName: credentialsSecret, defaultMode: 0o440 } };
  return [
    { name: "clones", mountPath: CACHE_FOLDER, readOnly: false, source: { emptyDir: {} } },
    ...(credentialsSecret === undefined
      ? []
      : [{ name: "repository", mountPath: CREDENTIALS_FOLDER, readOnly: true, source: credentials }]),
  ];
}

/** The volumes of the pod that only the zone mounts. */
export function publishZoneVolumes(props: Pick<PublishZoneProps, "credentialsSecret">): object[] {
  return ownVolumesOf(props).map(({ name, source }) => ({ name, ...source }));
}

/**
 * The container of the publish zone, in the operator's pod: it commits and pushes the operator's manifests. It has the
 * credentials of the repository, and no token.
 */
export function publishZoneContainer(props: PublishZoneProps): object {
  const { image, imagePullPolicy, resources, logLevel, repository, credentialsSecret, requireSandbox } =
    props;
  return {
    name: "publish",
    image,
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    args: [
      "zone",
      "publish",
      `--sockets=${publishSockets.mountPath}`,
      `--cache=${CACHE_FOLDER}`,
      `--repository=${repository}`,
      ...(credentialsSecret === undefined ? [] : [`--credentials=${CREDENTIALS_FOLDER}`]),
      ...(requireSandbox ? ["--require-isolation"] : []),
      `--log-level=${logLevel}`,
    ],
    resources,
    securityContext: { ...restrictedContainer, runAsUser: PUBLISH_USER },
    volumeMounts: [publishSockets, ...ownVolumesOf(props)].map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly && { readOnly }),
    })),
  };
}
