/** Reads the parameters of a Bearer challenge in `www-authenticate`. Pure. */

export interface Challenge {
  resourceMetadata?: string;
  scope?: string;
  error?: string;
}

const PARAMETER = /([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi;

/** Of the first Bearer challenge; quoted or not. */
export function readChallenge(header: string | null): Challenge {
  const start = header === null ? -1 : header.search(/\bBearer\b/i);
  if (header === null || start === -1) return {};
  const challenge: Challenge = {};
  for (const [, name = '', quoted, bare] of header.slice(start).matchAll(PARAMETER)) {
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? '';
    if (name === 'resource_metadata') challenge.resourceMetadata ??= value;
    else if (name === 'scope') challenge.scope ??= value;
    else if (name === 'error') challenge.error ??= value;
  }
  return challenge;
}
