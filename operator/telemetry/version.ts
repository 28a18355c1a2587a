/** The version in logs, commits and the User-Agent. A test keeps it equal to package.json. */
export const version = "0.1.0";
