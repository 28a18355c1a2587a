/** A git repository, and how it is read. Its Secrets must exist in the namespace of the Pipeline, and of each Release. */
export interface DeliverySource {
  /** `https://`, `ssh://`, or `user@host:path`. */
  readonly url: string;
  /** Which commits the Pipeline follows. Default: the branch `main`. */
  readonly ref?: { readonly branch: string } | { readonly tag: string } | { readonly semver: string };
  /** Folder with the folders of all Releases: commits that change nothing in it are ignored. Default: the root. */
  readonly path?: string;
  /** Secret with credentials. */
  readonly secretRef?: { readonly name: string };
  /** Secret with the keys that may sign. */
  readonly verify?: { readonly secretRef: { readonly name: string } };
}

export interface PipelineProps {
  readonly name: string;
  readonly namespace: string;
  readonly source: DeliverySource;
  /** ServiceAccount in the Pipeline's namespace that may read the Secrets of the source. Default: the operator reads them. */
  readonly serviceAccountName?: string;
  /** Polling interval of the remote, such as `1m`, which is the default. */
  readonly interval?: string;
  /** Number of Promotions that are kept, in addition to those that explain the current state. */
  readonly historyLimit?: number;
}

/** When a stage may start: a cron expression in a time zone, and for how long. */
export interface Recurrence {
  /** The five fields of cron, in local time. */
  readonly cron: string;
  /** Elapsed time, such as `8h`. */
  readonly duration: string;
  /** Such as `Europe/Berlin`. Default: UTC. */
  readonly timeZone?: string;
}

/** A Job that must succeed before a stage has passed. */
export interface StageVerification {
  readonly name: string;
  /** Timeout of the Job. Default: `10m`. */
  readonly timeout?: string;
  readonly template: { readonly metadata?: object; readonly spec: object };
}

/** Objects, or fields of objects, that may differ from those of earlier stages. */
export interface StageDifference {
  /** Such as `Deployment`. Default: every kind. */
  readonly kind?: string;
  /** Name of the objects; `*` is any text. Default: every name. */
  readonly name?: string;
  /** Such as `spec.replicas` or `spec.template.spec.containers[*].image`. Default: the whole objects. */
  readonly fields?: readonly string[];
}

/** The rules of a stage. */
export interface StageProps {
  /** Conditions for starting a candidate. */
  readonly enter?: {
    readonly approvals?: {
      /** Default: 1. */
      readonly count?: number;
      readonly groups?: readonly string[];
      readonly notAuthor?: boolean;
    };
    readonly windows?: readonly ({ readonly allow: Recurrence } | { readonly deny: Recurrence })[];
  };
  /** Conditions for passing the stage. */
  readonly pass?: {
    /** How long everything must be healthy without interruption, such as `10m`. */
    readonly soak?: string;
    readonly verify?: readonly StageVerification[];
    readonly timeout?: string;
  };
  /** Number of Releases that are deployed at once: a number, or a percentage such as `20%`. Default: all. */
  readonly batch?: number | string;
  /** Default: `Hold`. */
  readonly onFailure?: "Hold" | "RollBack";
  /** Whether a newer candidate replaces one that is being proven; several in a row do so at growing intervals. */
  readonly supersede?: boolean;
  /**
   * How its manifests may differ from those of earlier stages; any other difference prevents a candidate from starting.
   * `[]`: not in any field. Default: manifests are not compared.
   */
  readonly differences?: readonly StageDifference[];
  /** Do not start a candidate that has images without a digest. */
  readonly requireImageDigests?: boolean;
  /** Earlier names of the stage, whose Promotions count for it. */
  readonly formerly?: readonly string[];
  /** Namespace of the stage's Releases and of their objects. Default: name of the Pipeline and of the stage. */
  readonly namespace?: string;
  /** Create the namespace. Default: true. */
  readonly createNamespace?: boolean;
}

/** A subject of permissions: a user, a group or a ServiceAccount. */
export type Subject =
  | { readonly user: string }
  | { readonly group: string }
  | { readonly serviceAccount: string; readonly namespace: string };

/** A rule of a Role. */
export interface RightsRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}
