/** What the libraries see of the process: they ask it for settings, and there are none. */
export const process = Object.freeze({
  env: Object.freeze({}),
  platform: "linux",
  argv: Object.freeze([]),
  execPath: "",
  cwd: () => "/",
  emitWarning: () => undefined,
});
