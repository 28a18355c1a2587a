// Replacement of Node modules for the libraries: a program has no files, no processes and no environment.

function refuse(name: string): () => never {
  return () => {
    throw new Error(
      `a Release's program cannot use ${name}(): it has no files, network or processes of its own (cdk8s Include, Helm and Yaml.load need them); import the YAML file instead`,
    );
  };
}

export const mkdirSync = refuse("fs.mkdirSync");
export const mkdtempSync = refuse("fs.mkdtempSync");
export const writeFileSync = refuse("fs.writeFileSync");
export const readFileSync = refuse("fs.readFileSync");
export const readdirSync = refuse("fs.readdirSync");
export const existsSync = refuse("fs.existsSync");
export const statSync = refuse("fs.statSync");
export const execFileSync = refuse("child_process.execFileSync");
export const spawnSync = refuse("child_process.spawnSync");

export const sep = "/";
export const tmpdir = (): string => "/tmp";
export const join = (...parts: string[]): string => parts.join("/");
export const basename = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
