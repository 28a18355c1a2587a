// Attempts of code that left all inner walls of the sandbox, in plain Node: no permission model, no context.

/** Places of the world outside that the attempts reach for. */
export interface Outside {
  /** A file with a text, and a folder that can be written to. */
  readonly file: string;
  readonly folder: string;
  readonly tcpPort: number;
  readonly socket: string;
  readonly abstractSocket: string;
  /** Process id of another process. */
  readonly pid: number;
}

/** Code by what it does. Each succeeds in plain Node, and then changes nothing that another attempt needs. */
export const attempts = ({ file, folder, pid }: Outside): Readonly<Record<string, string>> => ({
  "read a file": `fs.readFileSync(${JSON.stringify(file)})`,
  "list a folder": `fs.readdirSync(${JSON.stringify(folder)})`,
  "read the environment of another process": `fs.readFileSync("/proc/${pid}/environ")`,
  "read the memory of another process": `fs.closeSync(fs.openSync("/proc/${pid}/mem", "r"))`,
  "read the command line of another process": `fs.readFileSync("/proc/${pid}/cmdline")`,
  "see where another process works": `fs.readlinkSync("/proc/${pid}/cwd")`,
  "write a file": `fs.writeFileSync(${JSON.stringify(`${folder}/written`)}, "x")`,
  "empty a file": `fs.truncateSync(${JSON.stringify(`${folder}/emptied`)})`,
  "create a folder": `fs.mkdirSync(${JSON.stringify(`${folder}/made`)})`,
  "delete a file": `fs.rmSync(${JSON.stringify(`${folder}/deleted`)})`,
  "rename a file": `fs.renameSync(${JSON.stringify(`${folder}/old`)}, ${JSON.stringify(`${folder}/new`)})`,
  "link to a file": `fs.symlinkSync("/", ${JSON.stringify(`${folder}/link`)})`,
  "change who may read a file": `fs.chmodSync(${JSON.stringify(file)}, 0o644)`,
  "change the times of a file": `fs.utimesSync(${JSON.stringify(file)}, 1, 1)`,
  "watch a file": `fs.watch(${JSON.stringify(file)}).close()`,
  "start a process": 'child.execFileSync("/bin/sh", ["-c", ":"])',
  "start Node again": 'child.execFileSync(process.execPath, ["-e", ""])',
  "signal another process": `process.kill(${pid}, 0)`,
  "signal all processes of its group": "process.kill(0, 0)",
  "change the priority of another process": `os.setPriority(${pid}, 1)`,
});

/** Expressions that give an emitter: `connect` or `listening` is a success, `error` a refusal. */
export const connections = (outside: Outside): Readonly<Record<string, string>> => ({
  "connect over TCP": `net.connect(${outside.tcpPort}, "127.0.0.1")`,
  "connect to a Unix socket": `net.connect(${JSON.stringify(outside.socket)})`,
  "connect to an abstract Unix socket": `net.connect(${JSON.stringify(outside.abstractSocket)})`,
  "listen on a TCP port": "net.createServer().listen(0)",
  "listen on a Unix socket": `net.createServer().listen(${JSON.stringify(`${outside.folder}/own`)})`,
  "listen on an abstract Unix socket": 'net.createServer().listen("\\0fairlead-own")',
  "open a UDP socket": 'dgram.createSocket("udp4").bind(0)',
});

/** A program for `node -e` that tries all of them and writes, as JSON, the error code of each that was refused. */
export function attemptProgram(outside: Outside): string {
  const tries = Object.entries(attempts(outside)).map(
    ([name, code]) =>
      `try { ${code}; } catch (error) { refused[${JSON.stringify(name)}] = error.info?.code ?? error.code ?? error.message; }`,
  );
  const waits = Object.entries(connections(outside)).map(
    ([name, code]) => `waits.push(new Promise((resolve) => {
      const end = (error) => { if (error) refused[${JSON.stringify(name)}] = error.code; resolve(); };
      try {
        const it = ${code};
        it.on("error", end);
        for (const event of ["connect", "listening"]) it.on(event, () => { it.close?.(); it.destroy?.(); end(); });
      } catch (error) { end(error); }
    }));`,
  );
  return `const fs = require("fs"), child = require("child_process"), net = require("net"), os = require("os");
    const dgram = require("dgram"), refused = {}, waits = [];
    ${tries.join("\n")}
    ${waits.join("\n")}
    Promise.all(waits).then(() => fs.writeSync(1, JSON.stringify({
      refused, user: [process.getuid(), process.getgid()], environment: Object.keys(process.env),
    })));`;
}
