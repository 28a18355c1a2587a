import { restrictedContainer } from "./pod-defaults.ts";
import { ZONE_SOCKETS_FOLDER } from "./sandbox-zone.ts";

export interface PublishZoneProps {
  readonly image: string;
  readonly imagePullPolicy?: string | undefined;
  readonly resources: object;
  readonly logLevel: string;
  /** Whether nothing is published where the kernel lacks walls around git. */
  readonly requireSandbox: boolean;
  /** URL of the repository that rendered manifests go to. */
  readonly repository: string;
  /** A Secret that is mounted as the folder of the repository's credentials; undefined: it needs none. */
  readonly credentialsSecret: string | undefined;
}

/** Where clones of the repository are kept. */
const CACHE_FOLDER = "/var/cache/fairlead";
/** Where a Secret of repository credentials is mounted. */
export const CREDENTIALS_FOLDER = "/etc/fairlead/repository";

/** A user id of its own: no file and no process of another container belongs to it. The image names it, because ssh asks. */
export const PUBLISH_USER = 65_529;
/** The volume that only the operator and this zone mount. There is a socket in it, which takes no space. */
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

/** The volumes of the pod that are the zone's alone. */
export function publishZoneVolumes(props: Pick<PublishZoneProps, "credentialsSecret">): object[] {
  return ownVolumesOf(props).map(({ name, source }) => ({ name, ...source }));
}

/**
 * The container of the publish zone, in the operator's pod: it commits and pushes what the operator gives it. It has the
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
      ...(requireSandbox ? ["--require-walls"] : []),
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
