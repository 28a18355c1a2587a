/** A program of a Release as a module: `typeof import("../web/main.ts")`. */
export interface ProgramModule {
  readonly default: (app: never, inputs: never) => unknown;
  readonly inputs?: unknown;
}

/** A schema with a known input type: of zod, or of another library that implements Standard Schema. */
interface TypedSchema<Input> {
  readonly "~standard": { readonly types?: { readonly input: Input } | undefined };
}

/**
 * The inputs of a Release's program: the input type of the program's schema `inputs`, in which fields with a default are
 * optional, or the type of the second parameter of its function.
 */
export type InputsOf<Program extends ProgramModule> = Program extends {
  readonly inputs: TypedSchema<infer Input>;
}
  ? Input
  : Parameters<Program["default"]> extends readonly [unknown, infer Inputs]
    ? Inputs
    : undefined;
