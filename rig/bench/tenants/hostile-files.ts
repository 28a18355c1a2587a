/** Number of files of the big folder, and bytes of each. They are below the limits for a source folder. */
const [BIG_FILES, BIG_BYTES] = [1_500, 8_192];

/** The actions of the hostile tenant, and the number of its Releases. */
export const parts = { loops: 8, big: 1, many: 20, refused: 4 } as const;
export type Part = keyof typeof parts;

/** The folder of a Release. All looping programs have the same folder and different inputs. */
export function folderOf(part: Part, index: number): string {
  return part === "loops" ? part : `${part}/${index}`;
}

/** The initial files of the hostile tenant's repository, by path. Pure. */
export function firstFiles(): Readonly<Record<string, string>> {
  const numbers = Array.from({ length: BIG_FILES }, (_, index) => index);
  const big = numbers.map((index) => [
    `big/0/${index}.json`,
    aConfigMap(`big-${index}`, "x".repeat(BIG_BYTES)),
  ]);
  return { ...Object.fromEntries(big), ...changedFiles(0) };
}

/** The changed files of a push, by path. Each folder changes, so that it must be rendered again. Pure. */
export function changedFiles(version: number): Readonly<Record<string, string>> {
  const sets = (["big", "many", "refused"] as const).flatMap((part) =>
    Array.from({ length: parts[part] }, (_, index) => [
      `${folderOf(part, index)}/0.json`,
      aConfigMap(`${part}-${index}`, `version ${version}`),
    ]),
  );
  const program = `export default function program(): void {\n  for (;;);\n}\n// ${version}\n`;
  return { "loops/main.ts": program, ...Object.fromEntries(sets) };
}

function aConfigMap(name: string, text: string): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text } });
}
