/** Certificates in PEM; each is re-read when a connection is made, because files are rotated. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Where the API server is and how to prove to it who we are. Holds credentials: never log it. */
export interface ClusterAccess {
  readonly server: URL;
  /** Namespace of the context or of the pod. */
  readonly namespace: string;
  /** Name to expect in the server's certificate instead of its host name. */
  readonly servername?: string;
  /** False with `insecure-skip-tls-verify`. */
  readonly verifiesServer: boolean;
  tls(): Promise<TlsMaterial>;
  /** Value of the Authorization header; undefined where a client certificate says who we are. */
  authorization(): Promise<string | undefined>;
  /** The server refused our credentials (401): read them anew next time. */
  forget(): void;
}

/** Unsupported or missing parts of a kubeconfig's context. */
export class ClusterAccessError extends Error {
  override readonly name = "ClusterAccessError";
}
