/** Reads the values of the settings of loaded extensions, for their servers, hooks, skills and agents. Loaded only where an extension has settings. */

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

/** In the words of an agent's options. */
export interface ExtensionValues {
  readonly sourceValues: SourceValues;
  /** Without secrets. */
  readonly shownValues: SourceValues;
}

export async function readExtensionValues(
  extensions: readonly Extension[],
  { home, cwd, trustedFolder, environment, onProblem }: ValueReader,
): Promise<ExtensionValues> {
  let keyring: ReturnType<typeof openKeyring> | undefined;
  const place = {
    home,
    workspace: trustedFolder === true ? cwd : undefined,
    openSecrets: () => (keyring ??= openKeyring(environment)),
  };
  const sourceValues: Record<string, Record<string, string>> = {};
  const shownValues: Record<string, Record<string, string>> = {};
  for (const extension of extensions) {
    const values = await readSettingValues(extension, place, onProblem);
    for (const { envVar, sensitive } of extension.manifest.settings) {
      if (sensitive && values[envVar]) debugLogger.hide(values[envVar].value);
    }
    const secrets = new Set(extension.manifest.settings.flatMap(({ envVar, sensitive }) => (sensitive ? envVar : [])));
    const all = Object.entries(values).map(([name, { value }]) => [name, value] as const);
    sourceValues[extension.name] = Object.fromEntries(all);
    shownValues[extension.name] = Object.fromEntries(all.filter(([name]) => !secrets.has(name)));
  }
  return { sourceValues, shownValues };
}
