import { describe, expect, test } from "vitest";
import {
  describeMissingIsolation,
  noKernelIsolation,
  probeKernelIsolation,
  readReport,
} from "../../../operator/sandbox/kernel-isolation.ts";
import { parseNodeFiles } from "../../../operator/sandbox/node-files.ts";
import { kernelIsolation } from "../../fakes/launcher.ts";

const report = (layers: readonly string[], landlockAbi = 7): string =>
  JSON.stringify({ landlockAbi, layers });
const all = ["no-new-privileges", "files", "tcp", "scopes", "seccomp"];
const without = (...names: string[]): string[] => all.filter((name) => !names.includes(name));

describe("readReport()", () => {
  test.for([
    { what: "every layer", layers: all, keptApart: true },
    {
      what: "no TCP and no scopes, which the filter covers",
      layers: without("tcp", "scopes"),
      keptApart: true,
    },
    { what: "no files", layers: without("files"), keptApart: false },
    { what: "no filter", layers: without("seccomp"), keptApart: false },
    { what: "no-new-privileges is missing", layers: without("no-new-privileges"), keptApart: false },
  ])("$what: programs are isolated: $keptApart", ({ layers, keptApart }) => {
    expect(readReport(report(layers))).toEqual({
      landlockAbi: 7,
      inForce: layers,
      missing: all.filter((layer) => !layers.includes(layer)),
      keptApart,
    });
  });

  test("ignores an unknown layer", () => {
    expect(readReport(report([...all, "moat"])).inForce).toEqual(all);
  });

  test("refuses text that is not a report", () => {
    expect(() => readReport("fairlead-launch: …")).toThrow(SyntaxError);
  });
});

describe("probeKernelIsolation()", () => {
  test("contains the reason why there is none", async () => {
    expect(await probeKernelIsolation(undefined)).toEqual(noKernelIsolation("the launcher is not installed"));
    expect((await probeKernelIsolation("/does/not/exist")).problem).toContain("ENOENT");
    expect(await probeKernelIsolation("/bin/false")).toMatchObject({ keptApart: false, launcher: undefined });
  });
});

describe("describeMissingIsolation()", () => {
  const some = { ...noKernelIsolation(""), ...readReport(report(without("files"), 0)) };
  test.for([
    { isolation: { ...kernelIsolation, keptApart: true }, says: undefined },
    {
      isolation: noKernelIsolation("the launcher is not installed"),
      says: "the kernel does not isolate programs: the launcher is not installed",
    },
    {
      isolation: { ...some, problem: undefined },
      says: "the kernel does not fully isolate programs (missing: files)",
    },
  ])("$says", ({ isolation: { problem, ...isolation }, says }) => {
    expect(describeMissingIsolation({ ...isolation, ...(problem !== undefined && { problem }) })).toBe(says);
  });
});

test("parseNodeFiles() selects Node, the loader and the libraries, and no addon or data", () => {
  const maps = [
    "00400000-01000000 r--p 00000000 fe:01 100 /opt/node/bin/node",
    "01000000-02000000 r-xp 00c00000 fe:01 100 /opt/node/bin/node",
    "7f00-7f01 r-xp 00026000 fe:01 11                         /usr/lib/x86_64-linux-gnu/libc.so.6",
    "7f01-7f02 r-xp 00026000 fe:01 12                         /usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
    "7f02-7f03 r-xp 00026000 fe:01 13                         /app/addon.node",
    "7f03-7f04 r--p 00026000 fe:01 14                         /usr/lib/locale/locale.so.1",
    "7f04-7f05 r-xp 00001000 fe:01 15                         /lib/ld-musl-x86_64.so.1",
    "7f05-7f06 r-xp 00000000 00:00 0                          [vdso]",
    "7f06-7f07 rwxp 00000000 00:00 0 ",
  ].join("\n");
  expect(parseNodeFiles(maps, "/opt/node/bin/node")).toEqual({
    read: ["/usr/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30"],
    execute: ["/opt/node/bin/node", "/lib/ld-musl-x86_64.so.1"],
  });
});
