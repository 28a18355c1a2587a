// Attempts of code that escaped from the isolation within the process, in plain Node: no permission model, no context.

/** Targets outside of the sandbox for the attempts. */
export interface Outside {
  /** A file with a text, and a writable folder. */
  readonly file: string;
  readonly folder: string;
  readonly tcpPort: number;
  readonly socket: string;
  readonly abstractSocket: string;
  /** Process id of another process. */
  readonly pid: number;
}

/** Code by its name. Each succeeds in plain Node, and changes nothing that another attempt needs. */
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

/** Expressions that return an emitter: `connect` or `listening` means success, `error` means denied. */
export const connections = (outside: Outside): Readonly<Record<string, string>> => ({
  "connect over TCP": `net.connect(${outside.tcpPort}, "127.0.0.1")`,
  "connect to a Unix socket": `net.connect(${JSON.stringify(outside.socket)})`,
  "connect to an abstract Unix socket": `net.connect(${JSON.stringify(outside.abstractSocket)})`,
  "listen on a TCP port": "net.createServer().listen(0)",
  "listen on a Unix socket": `net.createServer().listen(${JSON.stringify(`${outside.folder}/own`)})`,
  "listen on an abstract Unix socket": 'net.createServer().listen("\\0fairlead-own")',
  "open a UDP socket": 'dgram.createSocket("udp4").bind(0)',
});

/** Attempts by name: code that throws if it is denied, and expressions that return an emitter, as above. */
export interface AttemptTable {
  readonly tries: Readonly<Record<string, string>>;
  readonly waits: Readonly<Record<string, string>>;
}

/** Result of the attempts. All others succeeded. */
export interface AttemptReport {
  readonly tried: readonly string[];
  /** Error code of each denied attempt. */
  readonly refused: Readonly<Record<string, string>>;
  readonly user: readonly [number, number];
  readonly environment: readonly string[];
}

/**
 * Code of an expression that returns a promise of an {@link AttemptReport}. The attempts can use Node's modules by name,
 * and `some(values, attempt)`, which succeeds if the attempt succeeds with one of the values.
 */
export function attemptCode({ tries, waits }: AttemptTable): string {
  const text = JSON.stringify;
  const trying = Object.entries(tries).map(([name, code]) => `attempt(${text(name)}, () => { ${code}; });`);
  const waiting = Object.entries(waits).map(([name, code]) => `wait(${text(name)}, () => ${code});`);
  return `(async () => {
    const [fs, child, net, os, dgram] = ["fs", "child_process", "net", "os", "dgram"].map((name) => process.getBuiltinModule(name));
    const tried = [], refused = {}, waits = [];
    // The list of addresses gives the number of the error alone.
    const codeOf = ({ info, code, message }) => info?.errno === 1 ? "EPERM" : (info?.code ?? code ?? message);
    const isWall = (error) => /^(EACCES|EPERM)$/.test(codeOf(error));
    const some = (values, attempt) => {
      let last = new Error("nothing to try");
      for (const value of values)
        try { return attempt(value); } catch (error) { if (!isWall(last) || isWall(error)) last = error; }
      throw last;
    };
    const attempt = (name, run) => {
      tried.push(name);
      try { run(); } catch (error) { refused[name] = codeOf(error); }
    };
    const wait = (name, open) => {
      tried.push(name);
      waits.push(new Promise((resolve) => {
        const end = (error) => { if (error) refused[name] = codeOf(error); clearTimeout(timer); resolve(); };
        const timer = setTimeout(() => end({ code: "TIMEOUT" }), 5_000);
        try {
          const it = open();
          it.on("error", end);
          for (const event of ["connect", "listening"]) it.on(event, () => { it.close?.(); it.destroy?.(); end(); });
        } catch (error) { end(error); }
      }));
    };
    ${[...trying, ...waiting].join("\n")}
    await Promise.all(waits);
    return { tried, refused, user: [process.getuid(), process.getgid()], environment: Object.keys(process.env) };
  })()`;
}

/** A program for `node -e` that makes all attempts on this machine and writes the report as JSON. */
export function attemptProgram(outside: Outside): string {
  return reportingProgram({ tries: attempts(outside), waits: connections(outside) });
}

/** A program for `node -e` that writes the report of attempts as JSON. */
export function reportingProgram(table: AttemptTable): string {
  return `${attemptCode(table)}.then((report) => process.getBuiltinModule("fs").writeSync(1, JSON.stringify(report)));`;
}

/** A program of a Release for a plain Node (fakes/plain-node.ts): the report is a ConfigMap. */
export function attackingProgram(table: AttemptTable): string {
  return `export default async () => [{
    apiVersion: "v1", kind: "ConfigMap", metadata: { name: "attack" },
    data: { report: JSON.stringify(await ${attemptCode(table)}) },
  }];`;
}
