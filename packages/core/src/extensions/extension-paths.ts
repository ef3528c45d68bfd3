/** Computes where extensions and what Castor knows of them are on disk. Names with `gemini` are shared with Gemini CLI. */

import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { userDirectory } from '../config/paths.ts';

export const MANIFEST = 'gemini-extension.json';
export const INSTALLATION = '.gemini-extension-install.json';
/** Values of settings, in the folder of the extension; not part of what the user consents to. */
export const VALUES = '.env';

export function extensionsDirectory(home: string): string {
  return join(userDirectory(home), 'extensions');
}

export function enablementFile(home: string): string {
  return join(extensionsDirectory(home), 'extension-enablement.json');
}

/** What the user consented to, per extension: digests of content. */
export function consentFile(home: string): string {
  return join(userDirectory(home), 'castor-extensions.json');
}

/** Values that do not belong into the folder of an extension: those of single folders, and secrets without a keyring. */
export function valuesFile(home: string): string {
  return join(userDirectory(home), 'castor-extension-values.json');
}

/**
 * Beside the real folder of extensions: on its file system, so that a rename moves a tree at once, and outside of it,
 * because Gemini CLI loads every folder inside.
 */
export function stagingDirectory(home: string): string {
  return join(dirname(realOrSame(extensionsDirectory(home))), 'castor-extension-staging');
}

function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Missing until the first installation.
    return path;
  }
}
