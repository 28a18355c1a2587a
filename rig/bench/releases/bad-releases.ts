/** A Release that generates load for others: its only file, and its renderer. */
interface BadRelease {
  readonly file: string;
  readonly text: string;
  readonly render: object;
}

export const badReleases = {
  loops: {
    file: "main.ts",
    text: "export default function program(): void {\n  for (;;);\n}\n",
    render: { program: {} },
  },
  allocates: {
    file: "main.ts",
    text: "export default function program(): void {\n  const all: number[][] = [];\n  for (;;) all.push(new Array<number>(100_000).fill(1));\n}\n",
    render: { program: {} },
  },
  "is refused": {
    file: "deployment.yaml",
    text: "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: refused\nspec:\n  replicas: -1\n",
    render: { manifests: {} },
  },
  "is a bomb": {
    file: "bomb.yaml",
    text: `${["a: &a [x, x, x, x, x, x, x, x, x, x]", ..."bcdefghi".split("").map((name, index) => `${name}: &${name} [${`*${"abcdefgh"[index]}, `.repeat(9)}*${"abcdefgh"[index]}]`)].join("\n")}\n`,
    render: { manifests: {} },
  },
} satisfies Record<string, BadRelease>;

export type BadName = keyof typeof badReleases;

/** Path of a bad Release's file in the repository. Its text differs with every version. Pure. */
export function badFileOf(name: BadName, version: number): readonly [path: string, text: string] {
  const { file, text } = badReleases[name];
  const comment = file.endsWith(".ts") ? "//" : "#";
  return [`bad/${name.replaceAll(" ", "-")}/${file}`, `${text}${comment} ${version}\n`];
}
