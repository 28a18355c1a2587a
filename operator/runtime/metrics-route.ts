import type { HttpRoute } from "./http-server.ts";

/** `/metrics`, with the text of a collector. */
export function metricsRoute(expose: () => Promise<{ contentType: string; body: string }>): HttpRoute {
  return async ({ pathname }) => {
    if (pathname !== "/metrics") return undefined;
    return { status: 200, ...(await expose()) };
  };
}
