// Undici's main file also loads fetch, caches, mocks and WebSockets: 6 MiB and 25 ms of every start for unused code.
// These are the two files that are needed; they have no types of their own.

declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici";

  export default Pool;
}

declare module "undici/lib/core/connect.js" {
  import { buildConnector } from "undici";

  export default buildConnector;
}
