import { connect as connectTls, type TLSSocket } from "node:tls";
import buildConnector from "undici/lib/core/connect.js";
import type { ClusterAccess, TlsMaterial } from "./cluster-access.ts";

const connectTimeoutMs = 10_000;

/**
 * A connector for undici's pool over HTTP/1.1 that reads the certificates again for every new connection, so
 * that a rotated CA or client certificate needs no restart.
 */
export function http1Connector(access: ClusterAccess): buildConnector.connector {
  let known: TlsMaterial | undefined;
  let connect: buildConnector.connector | undefined;
  return (target, callback) => {
    const { servername } = access;
    void access.tls().then(
      (material) => {
        // The connector caches TLS sessions, so it is recreated only when the certificates changed.
        if (connect === undefined || !isEqual(known, material)) {
          connect = buildConnector({
            ...tlsOptions(access, material),
            allowH2: false,
            timeout: connectTimeoutMs,
          });
          known = material;
        }
        connect(servername === undefined ? target : { ...target, servername }, callback);
      },
      (error: Error) => callback(error, null),
    );
  };
}

/** Opens one TLS connection that offers HTTP/2; `alpnProtocol` of the result contains the server's choice. */
export async function openTls(access: ClusterAccess): Promise<TLSSocket> {
  const { server } = access;
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const socket = connectTls({
    ...tlsOptions(access, await access.tls()),
    host: hostOf(server),
    port: Number(server.port || 443),
    ALPNProtocols: ["h2", "http/1.1"],
  });
  socket.setNoDelay(true).setTimeout(connectTimeoutMs, () => {
    const error = new Error(`no connection within ${connectTimeoutMs / 1000} s`);
    socket.destroy(Object.assign(error, { code: "UND_ERR_CONNECT_TIMEOUT" }));
  });
  socket.once("error", reject).once("secureConnect", () => {
    socket.setTimeout(0).off("error", reject);
    resolve(socket);
  });
  return promise;
}

function tlsOptions(access: ClusterAccess, { ca, cert, key }: TlsMaterial) {
  const host = access.servername ?? hostOf(access.server);
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    // An IP address is not a valid server name (RFC 6066), but the certificate is still checked against it.
    ...(!/^[\d.]+$|:/.test(host) && { servername: host }),
    rejectUnauthorized: access.verifiesServer,
  };
}

// `URL` writes an IPv6 address in brackets; sockets need it without them.
function hostOf(server: URL): string {
  return server.hostname.replace(/^\[|\]$/g, "");
}

function isEqual(a: TlsMaterial | undefined, b: TlsMaterial): boolean {
  return a?.ca === b.ca && a?.cert === b.cert && a?.key === b.key;
}
