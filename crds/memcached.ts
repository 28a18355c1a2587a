import * as z from "zod";
import { defineKind, type ResourceOf } from "./kind.ts";

/** A number of memcached servers: one Deployment. */
export const Memcached = defineKind({
  group: "cache.example.com",
  kind: "Memcached",
  plural: "memcacheds",
  description: "Memcached runs memcached servers, one in each pod of a Deployment.",
  versions: [
    {
      name: "v1",
      spec: z
        .object({
          size: z.int32().min(0).describe("Number of memcached pods; 0 stops them all."),
        })
        .describe("Desired number of servers."),
      status: z.object({
        nodes: z.array(z.string()).describe("Names of the memcached pods that are not terminating, sorted."),
      }),
    },
  ],
  columns: [
    { name: "Size", type: "integer", jsonPath: ".spec.size", description: "Desired number of pods." },
    { name: "Nodes", type: "string", jsonPath: ".status.nodes", description: "Pods that run.", priority: 1 },
  ],
});

export type MemcachedResource = ResourceOf<typeof Memcached>;
