/** Certificates in PEM; each is re-read when a connection is made, because files are rotated. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Address of the API server and credentials for it. Contains secrets: never log it. */
export interface ClusterAccess {
  readonly server: URL;
  /** Namespace of the context or of the pod. */
  readonly namespace: string;
  /** Name that the server's certificate must have instead of its host name. */
  readonly servername?: string;
  /** False with `insecure-skip-tls-verify`. */
  readonly verifiesServer: boolean;
  tls(): Promise<TlsMaterial>;
  /** Value of the Authorization header; undefined for a client certificate. */
  authorization(): Promise<string | undefined>;
  /** Called when the server rejected the credentials (401): they are read again next time. */
  forget(): void;
}

/** Unsupported or missing parts of a kubeconfig's context. */
export class ClusterAccessError extends Error {
  override readonly name = "ClusterAccessError";
}
