/** Parses a TOML file of another program; a mistake is a SettingsError with file and line. */

import { SettingsError } from './settings-error.ts';

export async function parseTomlText(path: string, text: string): Promise<Record<string, unknown>> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const message = error.message.split('\n')[0] ?? '';
    throw new SettingsError(`${path}:${error.line}: the file is not valid TOML: ${message}.`, { path, cause: error });
  }
}
