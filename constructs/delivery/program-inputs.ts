/** A program of a Release as a module: `typeof import("../web/main.ts")`. */
export interface ProgramModule {
  readonly default: (app: never, inputs: never) => unknown;
  readonly inputs?: unknown;
}

/** A schema library that says what it reads: zod, and every other one that follows Standard Schema. */
interface TypedSchema<Input> {
  readonly "~standard": { readonly types?: { readonly input: Input } | undefined };
}

/**
 * What a Release gives a program: what the program's schema `inputs` reads, so that fields with a default may be left out, or
 * the type of the second parameter of its function.
 */
export type InputsOf<Program extends ProgramModule> = Program extends {
  readonly inputs: TypedSchema<infer Input>;
}
  ? Input
  : Parameters<Program["default"]> extends readonly [unknown, infer Inputs]
    ? Inputs
    : undefined;
