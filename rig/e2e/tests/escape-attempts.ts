import { CREDENTIALS_FOLDER } from "../../../constructs/publish-zone.ts";
import { ZONE_SOCKETS_FOLDER } from "../../../constructs/sandbox-zone.ts";
import type { AttemptTable } from "../../../test/operator/sandbox/node-attempts.ts";
import { network } from "../node/layout.ts";

export interface EscapeTargets {
  /** Address of another pod. */
  readonly otherPod: string;
  /** A text that only a program of another namespace has received. */
  readonly secret: string;
  /** The signal for each process. 0 only tests whether a signal may be sent. */
  readonly signal: "SIGKILL" | 0;
}

const token = "/var/run/secrets/kubernetes.io/serviceaccount/token";
const sockets = (zone: "sandbox" | "source" | "publish"): string => `${ZONE_SOCKETS_FOLDER}/${zone}`;
const clones = "/var/cache/fairlead";

/** All possible process ids of a container, without the process itself and the ids of its threads. */
const others = `(() => {
  let own = [process.pid];
  try { own = fs.readdirSync("/proc/self/task").map(Number); } catch {}
  return Array.from({ length: 4_000 }, (_, index) => index + 1).filter((pid) => !own.includes(pid));
})()`;
const ofAny = (code: string): string => `some(${others}, (pid) => { ${code}; })`;
const path = (name: string): string => `"/proc/" + pid + "/${name}"`;

/**
 * Searches all memory that processes have written for a text, which this code does not contain literally. It reads only pages
 * that exist: on some kernels, such as Linux 6.18, a read creates the others, up to the memory limit of the container.
 */
const searchMemory = (secret: string): string =>
  ofAny(`const wanted = Buffer.from([...${JSON.stringify([...secret].reverse().join(""))}].reverse().join(""));
    const memory = fs.openSync(${path("mem")}, "r"), pagemap = fs.openSync(${path("pagemap")}, "r");
    const [page, piece, states] = [4096, Buffer.alloc(2 ** 20), Buffer.alloc(256 * 8)];
    const exists = (index) => index < 256 && (states[index * 8 + 7] & 0xc0) !== 0;
    try {
      for (const line of fs.readFileSync(${path("maps")}, "latin1").split("\\n")) {
        const [, from, to] = (/^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []).map((hex) => Number.parseInt(hex, 16));
        for (let at = from; at < to && to - from < 2 ** 30; at += piece.length) {
          fs.readSync(pagemap, states, 0, states.length, at / page * 8);
          for (let first = 0, end; first < 256; first = end + 1) {
            for (end = first; exists(end); ) end++;
            const bytes = piece.subarray(0, (end - first) * page);
            try { fs.readSync(memory, bytes, 0, bytes.length, at + first * page); } catch { break; }
            if (end > first && bytes.includes(wanted)) return;
          }
        }
      }
    } finally { fs.closeSync(memory); fs.closeSync(pagemap); }
    throw new Error("it is not in the memory");`);

const writeAndRemove = (file: string, bytes: number): string =>
  `fs.writeFileSync("${file}", Buffer.alloc(${bytes})); fs.rmSync("${file}")`;

/** Paths that do not exist in the sandbox zone's container. */
export const absent = [
  "read the operator's token",
  "read the publishing credential",
  "list the clones",
  "read a clone",
] as const;

/** Attempts to connect to addresses that do not respond. They never succeed; without restrictions, the error is different. */
export const unanswered = ["connect to an external address", "connect to an abstract Unix socket"] as const;

/** Attempts of a program that controls its process in the sandbox zone's container. A successful attempt changes nothing. */
export function escapeAttempts({ otherPod, secret, signal }: EscapeTargets): AttemptTable {
  const tcp = (port: number, host: string): string => `net.connect(${port}, "${host}")`;
  return {
    tries: {
      "read the operator's token": `fs.readFileSync("${token}")`,
      "read the publishing credential": `fs.readFileSync("${CREDENTIALS_FOLDER}/password")`,
      "list the clones": `if (fs.readdirSync("${clones}").length === 0) throw new Error("there are none")`,
      "read a clone": `some(fs.readdirSync("${clones}", { recursive: true }).filter((name) => /HEAD$/.test(name)), (name) => fs.readFileSync("${clones}/" + name))`,
      "read the program of the image": 'fs.readFileSync("/app/fairlead.mjs")',
      "read the users": 'fs.readFileSync("/etc/passwd")',
      "list the root": 'fs.readdirSync("/")',
      "list the processes": 'fs.readdirSync("/proc")',
      "read the mounts": 'fs.readFileSync("/proc/self/mountinfo")',
      "read the environment of a process": ofAny(`fs.readFileSync(${path("environ")})`),
      "read the command line of a process": ofAny(`fs.readFileSync(${path("cmdline")})`),
      "see the descriptors of a process": ofAny(`fs.readdirSync(${path("fd")})`),
      "see the root of a process": ofAny(`fs.readdirSync(${path("root/")})`),
      "read the memory of a process": ofAny(`fs.closeSync(fs.openSync(${path("mem")}, "r"))`),
      "write the memory of a process": ofAny(`fs.closeSync(fs.openSync(${path("mem")}, "r+"))`),
      "find the inputs of another namespace in memory": searchMemory(secret),
      "signal a process": ofAny(`process.kill(pid, ${JSON.stringify(signal)})`),
      "signal all processes": `process.kill(-1, ${JSON.stringify(signal)})`,
      "change the priority of a process": ofAny("os.setPriority(pid, 0)"),
      "start a shell": 'child.execFileSync("/bin/sh", ["-c", ":"])',
      "start Node again": 'child.execFileSync(process.execPath, ["-e", ""])',
      "start the launcher": 'child.execFileSync("/app/fairlead-launch", ["--report"])',
      "start many processes":
        'some(Array(50).keys(), () => { const { error } = child.spawnSync("/bin/sh", ["-c", ":"]); if (error) throw error; })',
      "write to /tmp": writeAndRemove("/tmp/written", 1),
      "write to /dev/shm": writeAndRemove("/dev/shm/written", 1),
      "fill the shared memory": writeAndRemove("/dev/shm/large", 4 * 2 ** 20),
      "write beside the zone's sockets": writeAndRemove(`${sockets("sandbox")}/written`, 1),
      "fill the volume of the sockets": writeAndRemove(`${sockets("sandbox")}/large`, 2 ** 19),
      "take the place of a socket": `fs.renameSync("${sockets("sandbox")}/programs.sock", "${sockets("sandbox")}/old"); fs.renameSync("${sockets("sandbox")}/old", "${sockets("sandbox")}/programs.sock")`,
      "see the network's addresses": "os.networkInterfaces()",
    },
    waits: {
      "connect to the sandbox zone": `net.connect("${sockets("sandbox")}/programs.sock")`,
      "connect to the source zone": `net.connect("${sockets("source")}/source.sock")`,
      "connect to the publish zone": `net.connect("${sockets("publish")}/publish.sock")`,
      "connect to the API server": tcp(443, network.serviceAddress),
      "connect to the API server by the node's address": tcp(443, network.address),
      "connect to the kubelet": tcp(10_250, network.address),
      "connect to the git host": tcp(network.gitPort, network.address),
      "connect to another pod": tcp(8_081, otherPod),
      "connect to the operator": tcp(8_081, "127.0.0.1"),
      "connect to an external address": tcp(80, "192.0.2.1"),
      "connect to an abstract Unix socket": 'net.connect("\\0fairlead-unused")',
      "listen on a TCP port": "net.createServer().listen(0)",
      "listen on a Unix socket": `net.createServer().listen("${sockets("sandbox")}/own.sock")`,
      "listen on an abstract Unix socket": 'net.createServer().listen("\\0fairlead-own")',
      "open a UDP socket": 'dgram.createSocket("udp4").bind(0)',
      "open a UDP socket of IPv6": 'dgram.createSocket("udp6").bind(0)',
    },
  };
}
