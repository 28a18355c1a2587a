/** Replacement of `process` for the libraries, which read settings from it: there are none. */
export const process = Object.freeze({
  env: Object.freeze({}),
  platform: "linux",
  argv: Object.freeze([]),
  execPath: "",
  cwd: () => "/",
  emitWarning: () => undefined,
});
