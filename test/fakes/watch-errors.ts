import { WatchError } from "../../operator/errors.ts";

/** Responses of an API server, or of a proxy in front of it, to a failing list or watch. */
export const expired = () =>
  new WatchError("too old resource version: 5 (9)", { status: 410, reason: "Expired" });
export const tooLarge = () =>
  new WatchError("Too large resource version: 100, current: 50", { status: 504, reason: "Timeout" });
export const busy = (retryAfterMs?: number) =>
  new WatchError("too many requests", { status: 429, ...(retryAfterMs !== undefined && { retryAfterMs }) });
export const initializing = () => new WatchError("storage is (re)initializing", { status: 429 });
export const refused = () => new WatchError("connect ECONNREFUSED", { status: 0, refused: true });
export const reset = () => new WatchError("read ECONNRESET", { status: 0 });
export const unsupported = () =>
  new WatchError("sendInitialEvents is forbidden for watch", { status: 422, reason: "Invalid" });
