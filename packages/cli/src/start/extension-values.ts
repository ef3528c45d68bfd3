/** Reads the values of the settings of loaded extensions, for their servers and hooks. Loaded only where an extension has settings. */

import { debugLogger } from '@castor/core';
import { readSettingValues } from '@castor/core/program';
import { openKeyring } from '../keyring.ts';
import type { Extension, SourceValues } from '@castor/core/program';

export interface ValueReader {
  home: string;
  cwd: string;
  trustedFolder: boolean | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  onProblem(message: string): void;
}

export async function readExtensionValues(
  extensions: readonly Extension[],
  { home, cwd, trustedFolder, environment, onProblem }: ValueReader,
): Promise<SourceValues> {
  const place = {
    home,
    workspace: trustedFolder === true ? cwd : undefined,
    openSecrets: () => openKeyring(environment),
  };
  const found: Record<string, Record<string, string>> = {};
  for (const extension of extensions) {
    const values = await readSettingValues(extension, place, onProblem);
    for (const { envVar, sensitive } of extension.manifest.settings) {
      if (sensitive && values[envVar]) debugLogger.hide(values[envVar].value);
    }
    found[extension.name] = Object.fromEntries(Object.entries(values).map(([name, { value }]) => [name, value]));
  }
  return found;
}
