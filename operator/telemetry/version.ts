/** The version that logs, commits and the User-Agent name. Kept equal to package.json by a test. */
export const version = "0.1.0";
