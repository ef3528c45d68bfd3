/** Names of files of environment variables, without templates. */
export const ENVIRONMENT_FILE = /^\.env(?!\.(?:example|sample|template)$)/i;
